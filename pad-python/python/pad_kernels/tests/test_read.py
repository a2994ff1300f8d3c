"""Tests of regions that extend outside arrays of all kinds."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pad_kernels import Plan, fill_borders, pad, pad_batch, read
from pad_kernels.tests.formulas import source

MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]


class Counted:
    """An array that counts the elements that are read."""

    def __init__(self, array: Any) -> None:
        self.array, self.shape, self.dtype, self.count = array, array.shape, array.dtype, 0

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        found = self.array[key]
        assert all(part.step is None and 0 <= part.start < part.stop for part in key)
        self.count += found.size
        return found


def expected(array: Any, box: Any, mode: str, fill: Any) -> Any:
    """Compute the expected region element by element."""
    found = np.empty([stop - start for start, stop in box], array.dtype)
    for index in np.ndindex(*found.shape):
        at = [source(mode, i + start, n) for i, (start, _), n in zip(index, box, array.shape)]
        found[index] = fill if None in at else array[tuple(at)]
    return found


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_any_box(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    array = Counted(np.arange(np.prod(shape)).reshape(shape))
    starts = data.draw(st.lists(st.integers(-20, 20), min_size=len(shape), max_size=len(shape)))
    lengths = data.draw(st.lists(st.integers(0, 9), min_size=len(shape), max_size=len(shape)))
    box = [(start, start + length) for start, length in zip(starts, lengths)]
    mode = data.draw(st.sampled_from(MODES))
    values: dict[str, Any] = {"constant_values": -1} if mode == "constant" else {}
    np.testing.assert_array_equal(read(array, box, mode, **values), expected(array.array, box, mode, -1))
    # The function reads at most as many elements as the region has, and none of them twice.
    assert array.count <= min(np.prod(lengths), np.prod(shape))


def test_slices_may_leave_out_an_end() -> None:
    array = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(read(array, [slice(None), slice(2, 6)], "edge"), np.pad(array, ((0, 0), (0, 2)), "edge")[:, 2:])
    np.testing.assert_array_equal(read(array, [slice(-1, None), slice(1, None)]), np.pad(array, ((1, 0), (0, 0)))[:, 1:])


def test_the_box_is_written_where_it_is_wanted() -> None:
    out = np.full((4, 6), 9)
    assert read(np.arange(4), [(-1, 3)], "wrap", out=out[:, 2]).base is out
    assert out[:, 2].tolist() == [3, 0, 1, 2] and (np.delete(out, 2, 1) == 9).all()
    with pytest.raises(ValueError, match=r"out has shape \[3\], and the box \[4\]"):
        read(np.arange(4), [(-1, 3)], out=np.empty(3, int))


@pytest.mark.parametrize(
    ("array", "box", "error", "words"),
    [
        (np.arange(4), [(3, 2)], ValueError, "axis 0: the box starts at 3 and stops before that, at 2"),
        (np.arange(4), [slice(0, 4, 2)], ValueError, "axis 0: the slices of a box have no steps"),
        (np.arange(4), [(0, 1)] * 2, IndexError, "a box of 2 axes in an array of 1"),
        (np.arange(4), [], IndexError, "a box of 0 axes in an array of 1"),
        (np.arange(4), [3], TypeError, "axis 0: the box has 3: give a slice"),
        (np.ones((2, 2)), [..., (0, 1)], TypeError, "axis 0: the box has Ellipsis"),
        (np.arange(4), [(0.5, 1)], TypeError, r"axis 0: the box has \(0.5, 1\)"),
        (np.arange(4), [slice(0.5, None)], TypeError, "axis 0: the box has slice"),
        (np.arange(4), (0, 1), IndexError, "a box of 2 axes"),
        (np.arange(4), 3, TypeError, "box is a sequence"),
        ([1, 2, 3], [(0, 1)], TypeError, "not a list"),
        (np.arange(4), [{0, 1}], TypeError, r"axis 0: the box has {0, 1}"),
        (np.arange(4), [slice(None, None, 1.0)], ValueError, "axis 0: the slices of a box have no steps"),
        (np.arange(4), [(-(10**5000), 2)], ValueError, "axis 0: the box reaches from <unprintable value of <class 'int'>> to 2"),
        (np.arange(4), [(-(2**70), 2)], ValueError, "axis 0: the box reaches from -1180591620717411303424 to 2"),
        (SimpleNamespace(shape=(4,), dtype="none"), [(0, 1)], TypeError, "array is a SimpleNamespace whose dtype is 'none', which is no"),
        (np.array(["a", "bc"], object), [(0, 1)], TypeError, "dtype object has no elements of a fixed size"),
    ],
)
def test_no_boxes(array: Any, box: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        read(array, box)


@pytest.mark.parametrize("mode", ["mean", "empty", "linear_ramp", "circular", None, print])
def test_modes_that_read_has_not(mode: Any) -> None:
    with pytest.raises(ValueError, match="is none of constant, edge, reflect, symmetric, wrap, which read has"):
        read(np.arange(4), [(-1, 2)], mode)


def test_arguments_of_other_modes() -> None:
    with pytest.raises(TypeError, match="mode 'edge' has no argument 'constant_values'"):
        read(np.arange(5), [(-1, 2)], "edge", constant_values=9)
    with pytest.raises(ValueError, match=r"constant_values is \(1, 2\): read takes one value"):
        read(np.arange(5), [(-1, 2)], constant_values=(1, 2))
    with pytest.raises(TypeError, match="out is a list"):
        read(np.arange(5), [(-1, 2)], out=[0] * 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("box", [(-1, 3), (0, 3)])
def test_slices_that_differ_from_their_array(box: Any) -> None:
    class Store:
        shape, dtype = (4,), np.dtype("i4")

        def __init__(self, slices: Any) -> None:
            self.slices = slices

        def __getitem__(self, key: Any) -> Any:
            return self.slices

    with pytest.raises(TypeError, match="a slice of the array has dtype float64, and the array says int32"):
        read(Store(np.ones(3)), [box], "wrap")
    with pytest.raises(ValueError, match=r"a slice of the array has shape \[1\], and the region that was read \[[34]\]"):
        read(Store(np.ones(1, "i4")), [box], "wrap")


def test_masks_and_units_are_not_lost() -> None:
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    for box in ([(-1, 2)], [(0, 3)], [(7, 9)]):
        with pytest.raises(TypeError, match="the array is a MaskedArray, whose mask would be lost"):
            read(masked, box)
    with pytest.raises(TypeError, match="the array is a MaskedArray, whose mask would be lost"):
        Plan(3, masked.dtype, 1)(masked)
    with pytest.raises(TypeError, match="the gradient is a MaskedArray, whose mask would be lost"):
        Plan(1, masked.dtype, 1, "edge").adjoint(masked)
    np.testing.assert_array_equal(read(masked.data, [(-1, 2)]), [0, 1, 2])
    fill: Any = np.ma.array(5)
    calls: list[Callable[[], Any]] = [
        lambda: read(np.ones(3), [(-1, 2)], constant_values=fill),
        lambda: Plan(3, float, 1, constant_values=fill),
        lambda: fill_borders(np.ones(3), 1, constant_values=fill),
        lambda: pad_batch([[1.0], [2.0, 3.0]], constant_values=fill),
    ]
    for call_with in calls:
        with pytest.raises(TypeError, match="constant_values is a MaskedArray, whose mask would be lost"):
            call_with()

    class Length(np.ndarray):
        unit: Any

    # Many subclasses hold the unit in the array, and not in the class.
    length = np.ones(3).view(Length)
    np.testing.assert_array_equal(read(length, [(-1, 2)]), [0, 1, 1])
    length.unit = "m"
    for call in (lambda x: read(x, [(-1, 2)]), Plan(3, float, 1), lambda x: pad_batch([x])):
        with pytest.raises(TypeError, match="is a Length, whose unit would be lost"):
            call(length)
    with contextlib.suppress(ImportError):
        import dask.array as da
        from dask.delayed import delayed

        # A dask array has an example of its chunks. The example shows the mask in the first array, but not in the second.
        unknown = da.from_delayed(delayed(lambda: masked)(), (3,), masked.dtype)
        for hidden in (da.from_array(masked), unknown):
            for call in (lambda x: read(x, [(0, 3)]), Plan(3, masked.dtype, 1), Plan(1, masked.dtype, 1, "edge").adjoint):
                with pytest.raises(TypeError, match="whose mask would be lost"):
                    call(hidden)
    for module, unit in [("pint", "units"), ("astropy.units", "unit")]:
        with contextlib.suppress(ImportError):
            units: Any = importlib.import_module(module)
            quantity = np.arange(3.0) * (units.UnitRegistry().km if module == "pint" else units.km)
            with pytest.raises(TypeError, match=f"whose {unit} would be lost"):
                read(quantity, [(-1, 2)])
            with pytest.raises(TypeError, match="is padded by its own type: leave out away"):
                pad(quantity, 1, out=np.empty(5))


def stores(tmp_path: Path, array: Any) -> Any:
    np.save(tmp_path / "array.npy", array)
    yield np.load(tmp_path / "array.npy", mmap_mode="r")
    try:
        import h5py
    except ImportError:
        pass
    else:
        with h5py.File(tmp_path / "array.h5", "w") as file:
            yield file.create_dataset("array", data=array, chunks=True)
    try:
        import zarr
    except ImportError:
        pass
    else:
        yield zarr.array(array)
    try:
        import dask.array
    except ImportError:
        pass
    else:
        yield dask.array.from_array(array, chunks=7)


def test_stores(tmp_path: Path) -> None:
    array = np.random.default_rng(0).random((30, 40))
    count = 0
    for store in stores(tmp_path, array):
        for mode in MODES:
            box = [(-3, 5), (33, 45)]
            np.testing.assert_array_equal(read(store, box, mode), expected(array, box, mode, 0))
            count += 1
    assert count >= len(MODES)


def test_large_files_are_read_in_little_memory(tmp_path: Path) -> None:
    """Read regions of a file of 4 GB. The file is sparse, so it uses no space on the disk."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(4 << 30)
    array = np.memmap(path, "f4", "r+", shape=(1 << 15, 1 << 15))
    array[0, 0], array[-1, -1] = 1, 2
    read(array, [(-100, 100)] * 2, "wrap")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for mode in MODES:
        for corner in (0, 1 << 15):
            found = read(array, [(corner - 100, corner + 100)] * 2, mode)
            assert found.shape == (200, 200) and found.max() == (2 if mode == "wrap" or corner else 1)
    # `ru_maxrss` is in KiB, or in bytes on some machines. In both units, the limit is less than a hundredth of the file.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 << 10
