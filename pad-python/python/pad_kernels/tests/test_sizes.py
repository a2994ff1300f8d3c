"""Tests of padding to a size, by the rules of albumentations and librosa. Batches are compared with arrays that loops fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pad_kernels

# The arguments of these tests are random, so type checkers cannot know them.
pad: Any = pad_kernels.pad
pad_batch: Any = pad_kernels.pad_batch
pad_to: Any = pad_kernels.pad_to

POSITIONS: list[Any] = ["start", "center", "center_odd_before", "end"]


def pad_if_needed(length: int, least: int | None, divisor: int | None, position: str) -> tuple[int, int]:
    """Return the widths of albumentations' `PadIfNeeded` for one axis. This is a copy of its rule."""
    if divisor is not None:
        missing = -length % divisor
    else:
        assert least is not None
        missing = max(0, least - length)
    before = {"start": 0, "center": missing // 2, "end": missing}[position]
    return before, missing - before


def pad_center(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Do what librosa's `pad_center` does."""
    before = (size - len(array)) // 2
    return np.pad(array, (before, size - len(array) - before))


def fix_length(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Do what librosa's `fix_length` does."""
    return array[:size] if len(array) > size else np.pad(array, (0, size - len(array)))


@pytest.mark.parametrize("seed", range(100))
def test_sizes_of_other_libraries(seed: int) -> None:
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 255, (*rng.integers(1, 40, 2), 3)).astype(np.uint8)
    mode: Any = rng.choice(["constant", "edge", "reflect", "symmetric", "wrap"])
    positions = [str(position) for position in rng.choice(["start", "center", "end"], 2)]
    least: list[Any] = [int(rng.integers(1, 60)) if rng.random() < 0.5 else None for _ in range(2)]
    divisor = [None if length is not None else int(rng.integers(1, 33)) for length in least]
    widths = [pad_if_needed(*given) for given in zip(image.shape, least, divisor, positions)]
    found = pad_to(
        image,
        [*least, None],
        multiple={axis: number for axis, number in enumerate(divisor) if number is not None},
        position=dict(enumerate(positions)),
        keep_longer=True,
        mode=mode,
    )
    np.testing.assert_array_equal(found, np.pad(image, [*widths, (0, 0)], mode))

    sound = rng.random(int(rng.integers(1, 50)))
    size = int(rng.integers(1, 80))
    np.testing.assert_array_equal(pad_to(sound, size, position="start", crop=True), fix_length(sound, size))
    if size >= len(sound):
        np.testing.assert_array_equal(pad_to(sound, size), pad_center(sound, size))


@pytest.mark.parametrize("seed", range(30))
def test_rules_are_restated_right(seed: int) -> None:
    albumentations, librosa = pytest.importorskip("albumentations"), pytest.importorskip("librosa")
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 255, (*rng.integers(1, 40, 2), 3)).astype(np.uint8)
    position = str(rng.choice(["start", "center", "end"]))
    named = {"start": "top_left", "center": "center", "end": "bottom_right"}[position]
    least, divisor = int(rng.integers(1, 60)), int(rng.integers(1, 33))
    cases: list[Any] = [
        ((least, None), {"min_height": least, "min_width": least}),
        ((None, divisor), {"min_height": None, "min_width": None, "pad_height_divisor": divisor, "pad_width_divisor": divisor}),
    ]
    for given, theirs in cases:
        widths = [pad_if_needed(length, given[0], given[1], position) for length in image.shape[:2]]
        # `border_mode` is a border type of OpenCV. The number 0 means constant.
        real = albumentations.PadIfNeeded(**theirs, position=named, border_mode=0, p=1)(image=image)["image"]
        np.testing.assert_array_equal(np.pad(image, [*widths, (0, 0)]), real)
    sound, size = rng.random(int(rng.integers(1, 50))), int(rng.integers(1, 80))
    np.testing.assert_array_equal(fix_length(sound, size), librosa.util.fix_length(sound, size=size))
    if size >= len(sound):
        np.testing.assert_array_equal(pad_center(sound, size), librosa.util.pad_center(sound, size=size))


def place(length: int, target: int, position: str) -> tuple[slice, slice]:
    """Return two slices of an axis: the positions in the result that hold the array, and the part of the array that they hold."""
    missing = abs(target - length)
    before = {"start": 0, "center": missing // 2, "center_odd_before": (missing + 1) // 2, "end": missing}[position]
    kept = min(target, length)
    return (slice(before, before + kept), slice(kept)) if target > length else (slice(kept), slice(before, before + kept))


@pytest.mark.parametrize("seed", range(100))
def test_batches_are_assignments(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank, count = int(rng.integers(1, 4)), int(rng.integers(1, 9))
    dtype = rng.choice(["u1", "i4", "f8", "c16", "S3", ">i2", "M8[s]"])
    arrays = [rng.integers(0, 99, rng.integers(0, 6, rank)).astype(dtype) for _ in range(count)]
    arrays = [np.asfortranarray(array) if rng.random() < 0.2 else array for array in arrays]
    crop = bool(rng.random() < 0.3)
    positions = [str(position) for position in rng.choice(POSITIONS, rank)]
    longest = np.max([array.shape for array in arrays], axis=0)
    asked: dict[str, Any] = {}
    target = list(map(int, longest))
    if crop:
        asked = {"shape": [int(length) for length in rng.integers(0, 6, rank)], "crop": True}
        target = asked["shape"]
    elif rng.random() < 0.5:
        asked = {"multiple": 4}
        target = [-(-length // 4) * 4 for length in target]
    value: Any = np.array([int(rng.integers(0, 5))]).astype(dtype)[0] if rng.random() < 0.7 else 0
    wanted = np.zeros((count, *target), dtype)
    wanted[...] = value
    within = np.zeros((count, *target), bool)
    for i, array in enumerate(arrays):
        places = [place(*given) for given in zip(array.shape, target, positions)]
        to, part = tuple(to for to, _ in places), tuple(part for _, part in places)
        wanted[i][to], within[i][to] = array[part], True
    found, mask, lengths = pad_batch(arrays, position=positions, constant_values=value, mask=True, lengths=True, **asked)
    np.testing.assert_array_equal(found, wanted)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(mask, within)
    np.testing.assert_array_equal(lengths, [len(array) if rank == 1 else array.shape for array in arrays])


def test_batches_convert() -> None:
    found = pad_batch([[1, 2], np.array([1.5], np.float32), (3,)])
    assert found.dtype == np.float64 and found.tolist() == [[1, 2], [1.5, 0], [3, 0]]
    assert pad_batch([np.arange(3)], dtype=np.float32, constant_values=np.nan, shape=4).dtype == np.float32
    assert np.isnan(pad_batch([np.arange(3)], dtype=float, constant_values=np.nan, shape=4)[0, 3])
    assert pad_batch(np.arange(4).reshape(2, 2), 3).tolist() == [[0, 1, 0], [2, 3, 0]]
    assert pad_batch([np.arange(3)], [5], multiple=[4]).shape == (1, 8)
    assert pad_batch([[1, 255], [2]], dtype="u1").tolist() == [[1, 255], [2, 0]]
    # An empty list takes no part in the promotion, but an empty array does.
    assert pad_batch([[2**53 + 1], []]).tolist() == [[2**53 + 1], [0]]
    assert pad_batch([(), [True]]).dtype == bool and pad_batch([[1], []], dtype="i2").dtype == np.int16
    assert pad_batch([[1], np.array([])]).dtype == pad_batch([[], ()], 2).dtype == float


def test_forms_of_sizes() -> None:
    array = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(pad_to(array, {-1: 6}), np.pad(array, ((0, 0), (1, 1))))
    np.testing.assert_array_equal(pad_to(array, 5, mode="mean"), np.pad(array, ((1, 1), (0, 1)), "mean"))
    np.testing.assert_array_equal(pad_to(array, (2, 5), crop=True, mode="mean"), np.pad(array[:2], ((0, 0), (0, 1)), "mean"))
    np.testing.assert_array_equal(pad_to(array, np.array([5, 5]), multiple=3), np.pad(array, ((1, 2), (1, 1))))
    out = np.empty((5, 5), int)
    assert pad_to(array, 5, mode=["edge", "wrap"], out=out) is out
    np.testing.assert_array_equal(out, pad(array, ((1, 1), (0, 1)), ["edge", "wrap"]))


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({}, TypeError, "give shape or multiple"),
        ({"shape": 2}, ValueError, "axis 0 has length 3, which is more than the 2 asked for: give crop=True"),
        ({"shape": [5]}, ValueError, "shape is [5], of 1 entries, and the array has 2 axes"),
        ({"shape": 10**5000}, ValueError, "shape of axis 0 is <unprintable value of <class 'int'>>: give 0 or more"),
        ({"shape": {2: 5}}, ValueError, "shape names axis 2, and the array has 2 axes"),
        ({"shape": [5, -1]}, ValueError, "shape of axis 1 is -1: give 0 or more"),
        ({"shape": 2**62}, ValueError, "shape of axis 0 is 4611686018427387904: give 0 or more, below 2**62"),
        ({"shape": 1.5}, TypeError, "shape of axis 0 is 1.5, which is no integer"),
        ({"multiple": 0}, ValueError, "multiple of axis 0 is 0: give 1 or more"),
        ({"shape": 5, "position": "middle"}, ValueError, "position of axis 0 is 'middle'"),
        ({"shape": 5, "crop": True, "keep_longer": True}, ValueError, "crop and keep_longer are both true"),
        ({"shape": 5, "interior": 1}, TypeError, "pad_to takes no interior, which would change the size"),
        ({"shape": 5, "pad_width": 0}, TypeError, "pad_to takes no pad_width, which would change the size"),
        ({"shape": {"x": 5}}, TypeError, "shape: key 'x' is no axis: axes are integers"),
        ({"shape": {0: 5, -2: 6}}, ValueError, "shape names axis 0 twice"),
        ({"shape": 5, "position": {1: "end", -1: "end"}}, ValueError, "position names axis 1 twice"),
    ],
)
def test_wrong_sizes_are_named(given: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        pad_to(np.arange(12).reshape(3, 4), **given)
    assert text in str(caught.value)
    with pytest.raises(ValueError, match="pad_to: the array has no axes, so that nothing can be padded"):
        pad_to(np.array(3), 5)


def test_kept_axes_become_multiples() -> None:
    a = np.arange(6)
    assert [len(pad_to(a, length, multiple=4, keep_longer=True)) for length in (None, 2, 5, 6, 9)] == [8, 8, 8, 8, 12]
    assert pad_to(np.zeros((5, 9)), 8, multiple=4, keep_longer=True).shape == (8, 12)


def test_no_interior_is_no_change() -> None:
    for interior in (None, 0, (0, 0)):
        assert pad_to(np.ones((2, 2)), 3, interior=interior).shape == (3, 3)


def test_the_fill_of_a_batch_has_the_type_of_all_arrays() -> None:
    for given in ([np.array([1, 2]), np.array([1.5])], [np.array([1.5]), np.array([1, 2])]):
        found = pad_batch(given, constant_values=np.nan)
        assert found.dtype == float and np.isnan(found).sum() == 1


def test_wrong_batches_are_named() -> None:
    row = np.arange(3)
    cases: list[Any] = [
        ([], {}, "there are no arrays"),
        ([row, row[None]], {}, "arrays[1] has 2 axes, and arrays[0] has 1"),
        ([row], {"shape": 2}, "axis 0 has length 3, which is more than the 2 asked for: give crop=True"),
        ([row], {"constant_values": (1, 2)}, "constant_values is (1, 2): pad_batch takes one value"),
        ([row], {"constant_values": np.nan}, "constant_values is nan: pad_batch takes one value that dtype int64 holds"),
        ([row], {"shape": {0: 5, -1: 4}}, "shape names axis 0 twice"),
        ([np.array([1.5])], {"dtype": int}, "dtype is int64, and arrays[0] has float64, which may lose numbers"),
        ([[1.5]], {"dtype": int}, "dtype is int64, and arrays[0] has float64, which may lose numbers"),
        ([row, np.array([300])], {"dtype": "u1"}, "dtype is uint8, and arrays[0] has int64, which may lose numbers"),
        ([row, np.array([1j])], {"dtype": float}, "dtype is float64, and arrays[1] has complex128, which may lose numbers"),
        ([row], {"dtype": "3i4"}, "dtype is ('<i4', (3,)), whose elements are arrays: give int32"),
        ([["a"], ["b", "cde"]], {"dtype": str}, "dtype is <U0, whose elements have no size"),
        ([row], {"dtype": "none"}, "dtype is 'none', which is no dtype of numpy"),
        (3, {}, "arrays is 3, and has to be a sequence of arrays"),
        ([row, [1, [2]]], {}, "arrays[1] is a list: setting an array element"),
        ([np.array([None])], {}, "dtype object has no elements of a fixed size"),
        ([np.ma.array([1, 2], mask=[False, True])], {}, "arrays[0] is a MaskedArray, whose mask would be lost"),
    ]
    for given, arguments, text in cases:
        with pytest.raises((TypeError, ValueError)) as caught:
            pad_batch(given, **arguments)
        assert text in str(caught.value)
    with pytest.raises((MemoryError, ValueError)):
        pad_batch([row], 2**61)
    with pytest.raises(OverflowError, match="300 out of bounds"):
        pad_batch([[300]], dtype="i1")


@pytest.mark.parametrize("seed", range(20))
def test_sizes_of_dask(seed: int) -> None:
    da = pytest.importorskip("dask.array")
    from pad_kernels.dask import pad_to

    dask_pad_to: Any = pad_to
    rng = np.random.default_rng(seed)
    array = rng.integers(0, 9, rng.integers(1, 9, 2))
    chunked = da.from_array(array, chunks=3)
    given: dict[str, Any] = {"shape": rng.integers(1, 12, 2).tolist(), "position": str(rng.choice(POSITIONS)), "crop": True}
    for mode in ("edge", ["wrap", ("reflect", "constant")], "mean"):
        found = dask_pad_to(chunked, mode=mode, **given).compute(scheduler="sync")
        np.testing.assert_array_equal(found, pad_to(array, mode=mode, **given))
    with pytest.raises(ValueError, match="is not known"):
        dask_pad_to(chunked[chunked[:, 0] > 0], 5)
    with pytest.raises(TypeError, match="pad_to takes no pad_width, which would change the size: call pad"):
        dask_pad_to(chunked, 5, pad_width=1)
