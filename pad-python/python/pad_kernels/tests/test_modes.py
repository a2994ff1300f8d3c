"""Tests of modes for each axis and each side, in every function with a mode. The expected results come from numpy's pad, which
pads one side at a time."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pad_kernels

# The arguments of these tests are random, so type checkers cannot know them.
Plan: Any = pad_kernels.Plan
fill_borders: Any = pad_kernels.fill_borders
pad: Any = pad_kernels.pad
read: Any = pad_kernels.read

COPYING = ("constant", "edge", "reflect", "symmetric", "wrap")
FILL = 99


def expected(array: NDArray[Any], widths: Any, modes: Any) -> NDArray[Any]:
    """Return the expected array. Each border of an axis is made from the array without the other border."""
    for axis, ((low, high), mode) in enumerate(zip(widths, modes, strict=True)):
        parts = [array]
        for side, of_side in enumerate((mode, mode) if isinstance(mode, str) else mode):
            only = [(0, 0)] * array.ndim
            only[axis] = (0, high) if side else (low, 0)
            values = {"constant_values": FILL} if of_side == "constant" else {}
            padded = np.pad(array, only, of_side, **values)
            border = slice(array.shape[axis], None) if side else slice(0, low)
            parts.insert(2 * side, padded[(slice(None),) * axis + (border,)])
        array = np.concatenate(parts, axis)
    return array


def drawn(seed: int) -> tuple[NDArray[Any], list[tuple[int, int]], list[Any], dict[str, int]]:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 5))
    array = rng.integers(0, 50, rng.integers(1, 6, rank)).astype(rng.choice(["u1", "i4", "f8"]))
    widths = [(int(low), int(high)) for low, high in rng.integers(0, 9, (rank, 2))]
    modes: list[Any] = [str(rng.choice(COPYING)) if rng.random() < 0.5 else tuple(map(str, rng.choice(COPYING, 2))) for _ in range(rank)]
    filled = any("constant" in (mode if isinstance(mode, tuple) else (mode,)) for mode in modes)
    return array, widths, modes, {"constant_values": FILL} if filled else {}


@pytest.mark.parametrize("seed", range(100))
def test_modes_of_axes_and_sides(seed: int) -> None:
    array, widths, modes, values = drawn(seed)
    wanted = expected(array, widths, modes)
    for given in (array, np.asfortranarray(array), array[::-1].copy()[::-1]):
        np.testing.assert_array_equal(pad(given, widths, modes, **values), wanted)
    by_axis = {axis - array.ndim if axis % 2 else axis: mode for axis, mode in enumerate(modes) if mode != "constant"}
    np.testing.assert_array_equal(pad(array, widths, by_axis, **values), wanted)

    plan = Plan(array.shape, array.dtype, widths, tuple(modes), **values)
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert Plan(array.shape, array.dtype, widths, plan.mode, **values) == plan
    box = [(length // 3, length - length // 4) for length in wanted.shape]
    cut = tuple(slice(*ends) for ends in box)
    np.testing.assert_array_equal(plan.window(box)(array), wanted[cut])

    bordered = np.zeros_like(wanted)
    inside = tuple(slice(low, low + length) for (low, _), length in zip(widths, array.shape, strict=True))
    bordered[inside] = array
    fill_borders(bordered, widths, modes, **values)
    np.testing.assert_array_equal(bordered, wanted)

    reach = [(start - low, stop - low) for (start, stop), (low, _) in zip(box, widths, strict=True)]
    np.testing.assert_array_equal(read(array, reach, modes, **values), wanted[cut])


def test_equal_modes_are_one() -> None:
    array = np.arange(12.0).reshape(3, 4)
    for mode in ("mean", "empty", "reflect"):
        assert Plan(array.shape, array.dtype, 1, [mode, (mode, mode)]) == Plan(array.shape, array.dtype, 1, mode)
    np.testing.assert_array_equal(
        pad(array, 2, {0: "reflect", 1: "reflect"}, reflect_type="odd"), np.pad(array, 2, "reflect", reflect_type="odd")
    )
    constants = ((1, 2), (3, 4))
    np.testing.assert_array_equal(
        pad(array, 2, ["constant"] * 2, constant_values=constants), np.pad(array, 2, constant_values=constants)
    )


@pytest.mark.parametrize("seed", range(20))
def test_gradients_of_modes_of_axes(seed: int) -> None:
    array, widths, modes, values = drawn(seed)
    plan = Plan(array.shape, np.float64, widths, modes, **values)
    zeros = Plan(array.shape, np.float64, widths, modes)
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-9, 9, array.shape).astype(float), rng.integers(-9, 9, plan.output_shape).astype(float)
    assert (zeros(x) * y).sum() == (x * plan.adjoint(y)).sum()


ARRAY = np.arange(12).reshape(3, 4)


def test_a_dict_may_change_while_it_is_read() -> None:
    class Key:
        def __index__(self) -> int:
            modes.clear()
            return 0

    modes: dict[Any, Any] = {Key(): "edge", 1: "wrap"}
    np.testing.assert_array_equal(pad(ARRAY, 1, modes), pad(ARRAY, 1, ["edge", "wrap"]))


@pytest.mark.parametrize(
    ("mode", "error", "text"),
    [
        (["edge"], ValueError, "mode is ['edge'], of 1 entries, and the array has 2 axes"),
        ([], ValueError, "of 0 entries, and the array has 2 axes"),
        (("edge", "wrap", "edge"), ValueError, "of 3 entries, and the array has 2 axes"),
        (["edge", "mean"], ValueError, "mode: axis 1 has 'mean', which is for all axes together"),
        ([("empty", "edge"), "edge"], ValueError, "mode: axis 0 has 'empty', which is for all axes together"),
        (["edge", "around"], ValueError, "mode: axis 1 has 'around': modes of single axes are constant, edge"),
        (["edge", 3], TypeError, "mode: axis 1 has 3: give the name of a mode, or a pair of names"),
        (["edge", ("edge",)], TypeError, "mode: axis 1 has ('edge',)"),
        (["edge", ("edge", None)], TypeError, "mode: axis 1 has ('edge', None)"),
        ({2: "edge"}, ValueError, "mode names axis 2, and the array has 2 axes"),
        ({-3: "edge"}, ValueError, "mode names axis -3, and the array has 2 axes"),
        ({0: "edge", -2: "wrap"}, ValueError, "mode names axis 0 twice"),
        ({"rows": "edge"}, TypeError, "mode: key 'rows' is no axis"),
        ({2**70: "edge"}, ValueError, "mode: key 1180591620717411303424 is no axis: give a number below 2**63"),
    ],
)
def test_wrong_modes_are_named(mode: Any, error: type[Exception], text: str) -> None:
    calls: list[Any] = [
        lambda: pad(ARRAY, 1, mode),
        lambda: Plan(ARRAY.shape, int, 1, mode),
        lambda: fill_borders(ARRAY.copy(), 1, mode),
        lambda: read(ARRAY, [(-1, 2), (0, 9)], mode),
    ]
    for call in calls:
        with pytest.raises(error) as caught:
            call()
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"reflect_type": "odd"}, "reflect_type is 'odd', and mode is ['reflect', 'constant']"),
        ({"constant_values": (1, 2)}, "constant_values is (1, 2), and mode is ['reflect', 'constant']"),
        ({"stat_length": 3}, "mode ['reflect', 'constant'] has no argument 'stat_length'"),
    ],
)
def test_arguments_of_one_mode(arguments: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        pad(ARRAY, 1, ["reflect", "constant"], **arguments)
    assert text in str(caught.value)
    with pytest.raises(TypeError, match="a mode for each axis is for elements of a fixed size, and the array has dtype object"):
        pad(np.array([[None]]), 1, ["reflect", "constant"])


@pytest.mark.parametrize("seed", range(100))
def test_modes_of_dask(seed: int) -> None:
    da = pytest.importorskip("dask.array")
    from pad_kernels.dask import map_halo
    from pad_kernels.dask import pad as dask_pad

    array, widths, modes, values = drawn(seed)
    chunked = da.from_array(array, chunks=tuple(np.random.default_rng(seed).integers(1, 4, array.ndim).tolist()))
    wanted = expected(array, widths, modes)
    found = dask_pad(chunked, widths, modes, **values)
    np.testing.assert_array_equal(found.compute(scheduler="sync"), wanted)
    assert found.name == dask_pad(chunked, widths, dict(enumerate(modes)), **values).name

    def sums(halo: NDArray[Any]) -> NDArray[Any]:
        windows = np.lib.stride_tricks.sliding_window_view(halo.astype(int), [1 + low + high for low, high in widths])
        return windows.sum(tuple(range(array.ndim, 2 * array.ndim)))  # type: ignore[no-any-return]

    summed = map_halo(sums, chunked, widths, modes, trim=False, dtype=int, mode_kwargs=values)
    np.testing.assert_array_equal(summed.compute(scheduler="sync"), sums(wanted))


def test_wrong_modes_of_dask() -> None:
    da = pytest.importorskip("dask.array")
    from pad_kernels.dask import pad as dask_pad

    chunked = da.from_array(ARRAY, chunks=2)
    for mode, arguments, text in [
        (["edge"], {}, "of 1 entries, and the array has 2 axes"),
        ({0: "mean"}, {}, "axis 0 has 'mean'"),
        (["edge", "wrap"], {"constant_values": 1}, "mode ['edge', 'wrap'] has no argument 'constant_values'"),
    ]:
        with pytest.raises((TypeError, ValueError)) as caught:
            dask_pad(chunked, 1, mode, **arguments)
        assert text in str(caught.value)
    with pytest.raises(ValueError, match="can't extend empty axis 0"):
        dask_pad(chunked[:0], 1, ["edge", "constant"])
    # Only the mode of a padded side counts.
    one_sided = dask_pad(chunked[:0], ((0, 2), (0, 0)), [("edge", "constant"), "wrap"])
    np.testing.assert_array_equal(one_sided.compute(scheduler="sync"), np.zeros((2, ARRAY.shape[1]), ARRAY.dtype))


TORCH = {"edge": "replicate", "wrap": "circular"}


@pytest.mark.parametrize("seed", range(60))
def test_modes_of_torch(seed: int) -> None:
    torch: Any = pytest.importorskip("torch")
    torch_pad: Any = pad_kernels.torch_pad

    array, widths, modes, values = drawn(seed)
    count = int(np.random.default_rng(seed).integers(1, array.ndim + 1))
    widths[: array.ndim - count] = [(0, 0)] * (array.ndim - count)
    wanted = expected(array, widths, modes)
    named: list[Any] = [
        TORCH.get(mode, mode) if isinstance(mode, str) else tuple(TORCH.get(side, side) for side in mode) for mode in modes
    ][-count:]
    sides = [side for pair in widths[: -count - 1 : -1] for side in pair]
    filled = any("constant" in mode for mode in named)
    value = FILL if filled else None
    tensor = torch.from_numpy(array)
    np.testing.assert_array_equal(torch_pad(tensor, sides, named[::-1], value).numpy(), wanted)
    by_axis = {axis - count: mode for axis, mode in enumerate(named)}
    np.testing.assert_array_equal(torch_pad(tensor, sides, by_axis, value).numpy(), wanted)

    doubles = torch.from_numpy(array.astype(float)).requires_grad_()
    padded = torch_pad(doubles, sides, by_axis, value)
    weights = torch.arange(padded.numel(), dtype=torch.float64).reshape(padded.shape)
    (padded * weights).sum().backward()
    plan = Plan(array.shape, float, widths, modes, **values)
    np.testing.assert_array_equal(doubles.grad.numpy(), plan.adjoint(weights.numpy()))


def test_wrong_modes_of_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    torch_pad: Any = pad_kernels.torch_pad

    tensor = torch.arange(12).reshape(1, 3, 4)
    for mode, text in [
        (["circular"], "mode is ['circular'], and pad has 2 pairs"),
        ({0: "circular"}, "mode names axis 0, and pad has widths of the last 2 of 3 axes"),
        (["circular", "mean"], "mode holds 'mean'"),
        (["circular", ("edge", "edge", "edge")], "mode holds ('edge', 'edge', 'edge')"),
        ("circular,edge,edge", "mode is 'circular,edge,edge'"),
    ]:
        with pytest.raises(ValueError) as caught:
            torch_pad(tensor, (1, 1, 1, 1), mode)
        assert text in str(caught.value)
    with pytest.raises(ValueError, match="takes none"):
        torch_pad(tensor, (1, 1, 1, 1), ["circular", "edge"], 3)
    compiled = torch.compile(lambda x: torch_pad(x, (1, 1, 2, 0), ["circular", ("replicate", "constant")]), backend="eager")
    assert torch.equal(compiled(tensor), torch_pad(tensor, (1, 1, 2, 0), {1: ("edge", "constant"), 2: "wrap"}))
    meta = torch_pad(tensor.to("meta"), (1, 1, 2, 0), ["circular", "replicate"])
    assert meta.shape == (1, 5, 6)
