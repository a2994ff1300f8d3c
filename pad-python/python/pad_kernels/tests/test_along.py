"""Tests of `Along`, which has a fill for each position of an axis, and of the argument `dtype`."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import pad_kernels
from pad_kernels import Along

# The arguments of these tests are random, so type checkers cannot know them.
pad: Any = pad_kernels.pad


@pytest.mark.parametrize("seed", range(150))
def test_each_channel_has_its_fill(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 5))
    axis = int(rng.integers(-rank, rank))
    dtype = rng.choice(["u1", "i2", "f4", "f8", "c16", ">i4"])
    array = rng.integers(0, 99, rng.integers(1, 6, rank)).astype(dtype)
    array = [array, np.asfortranarray(array), array[::-1]][int(rng.integers(0, 3))]
    values: list[int] = rng.integers(0, 99, array.shape[axis : axis + 1 or None]).tolist()
    widths = [(int(low), int(high)) for low, high in rng.integers(0, 7, (rank, 2))]
    widths[axis] = (0, 0)
    mode: Any = "constant"
    if rng.random() < 0.4:
        mode = [str(mode) for mode in rng.choice(["constant", "edge", "wrap"], rank)]
        # At least one axis must have mode constant. Otherwise `pad` refuses the argument `constant_values`.
        mode[(axis - 1) % rank] = "constant"
    wanted = pad(array, widths, mode, constant_values=0)
    for channel, value in enumerate(values):
        at = (slice(None),) * (axis % rank) + (slice(channel, channel + 1),)
        wanted[at] = pad(array[at], widths, mode, constant_values=value)
    along = Along(axis, values)
    np.testing.assert_array_equal(pad(array, widths, mode, constant_values=along), wanted)
    out = np.zeros(wanted.shape, dtype)
    assert pad(array, widths, mode, constant_values=along, out=out, threads=2) is out
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("seed", range(30))
def test_colours_are_those_of_opencv(seed: int) -> None:
    cv2 = pytest.importorskip("cv2")
    rng = np.random.default_rng(seed)
    dtype = rng.choice(["u1", "u2", "f4"])
    image = rng.integers(0, 255, (*rng.integers(1, 20, 2), 4)).astype(dtype)
    top, bottom, left, right = map(int, rng.integers(0, 9, 4))
    colour = rng.integers(0, 255, 4).tolist()
    wanted = cv2.copyMakeBorder(image, top, bottom, left, right, cv2.BORDER_CONSTANT, value=colour)
    found = pad(image, ((top, bottom), (left, right), (0, 0)), constant_values=Along(-1, colour))
    np.testing.assert_array_equal(found, wanted.reshape(found.shape))


def test_crops_interior_and_sizes() -> None:
    image = np.arange(24, dtype=np.uint8).reshape(4, 2, 3)
    along = Along(2, [7, 8, 9])
    found = pad(image, ((-1, 2), (0, 0), (0, 0)), interior=(0, 1, 0), constant_values=along)
    for channel in range(3):
        wanted = pad(image[..., channel], ((-1, 2), (0, 0)), interior=(0, 1), constant_values=7 + channel)
        np.testing.assert_array_equal(found[..., channel], wanted)
    assert pad_kernels.pad_to(image, {0: 6, 1: 4}, constant_values=along)[0, 0].tolist() == [7, 8, 9]


def test_every_call_takes_colours() -> None:
    image = np.arange(24, dtype=np.int16).reshape(2, 4, 3)
    widths, along = ((1, 2), (3, 0), (0, 0)), Along(-1, (-7, 8.0, np.int8(9)))
    wanted = np.stack([np.pad(image[..., i], widths[:2], constant_values=value) for i, value in enumerate((-7, 8, 9))], axis=-1)
    plan = pad_kernels.Plan(image.shape, image.dtype, widths, constant_values=along)
    copy = pickle.loads(pickle.dumps(plan))
    assert copy == plan != pad_kernels.Plan(image.shape, image.dtype, widths, constant_values=Along(2, [-7, 8, 8]))
    np.testing.assert_array_equal(copy(image), wanted)
    np.testing.assert_array_equal(copy(np.asfortranarray(image)), wanted)
    np.testing.assert_array_equal(plan.window([(0, 3), (2, 5), (1, 3)])(image), wanted[:3, 2:5, 1:])
    np.testing.assert_array_equal(pad_kernels.read(image, [(-1, 4), (-3, 4), (0, 3)], constant_values=along), wanted)
    framed = np.zeros_like(wanted)
    framed[1:3, 3:] = image
    pad_kernels.fill_borders(framed, widths, constant_values=along)
    np.testing.assert_array_equal(framed, wanted)
    # An axis with fewer than two elements has no neighbours to insert between. An axis without elements needs no values.
    assert pad([[1], [2]], 0, interior=1, constant_values=Along(1, [5])).tolist() == [[1], [5], [2]]
    assert pad(np.zeros((0, 2)), {1: 1}, constant_values=Along(0, [])).shape == (0, 4)
    # A whole float is an integer.
    assert pad([[0]], {0: (1, 0)}, constant_values=Along(1, [2**60 + 0.0])).tolist() == [[2**60], [0]]
    # If no axis is padded, the array is copied.
    assert pad([1, 2], 0, constant_values=Along(0, [5, 6])).tolist() == [1, 2]
    dask = pytest.importorskip("dask.array")
    lazy = dask.from_array(image, chunks=2)
    with pytest.raises(TypeError, match="a value for each position .* a dask.array.core.Array is padded by its own type"):
        pad(lazy, widths, constant_values=along)
    for mode in ["constant", ["constant"] * 3]:
        with pytest.raises(TypeError, match="which is for numpy arrays, and not for"):
            import_module("pad_kernels.dask").pad(lazy, widths, mode, constant_values=along)


def test_a_fill_keeps_its_values() -> None:
    values = np.array([1, 2])
    along = Along(1, values)
    values[:] = 9
    assert repr(along) == "Along(1, array([1, 2]))"
    assert pad([[0, 0]], {0: (0, 1)}, constant_values=along).tolist() == [[0, 0], [1, 2]]
    masked: Any = np.ma.array([5, 7], mask=[True, False])
    lost: Any
    for lost, name in [(masked, "values"), ([*masked], r"values\[0\]")]:
        with pytest.raises(TypeError, match=f"{name} is a Masked.*, whose mask would be lost"):
            Along(1, lost)


IMAGE = np.zeros((4, 5, 3), np.uint8)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: pad(IMAGE, 1, constant_values=Along(-1, [1, 2, 3])), ValueError, "each position of axis 2: the axis is not padded"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(-1, [1, 2])), ValueError, "axis 2 has length 3: give one value for each"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(3, [1, 2])), ValueError, "names axis 3, and the array has 3 axes"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(2, 5)), ValueError, "axis 2 has length 3"),
        (lambda: pad(IMAGE, {0: 1}, "edge", constant_values=Along(2, [1, 2, 3])), TypeError, "mode 'edge' has no argument"),
        (lambda: pad(IMAGE, {0: 1}, interior=1, constant_values=Along(2, [1, 2, 3])), ValueError, "has no interior"),
        (lambda: pad_kernels.Plan((2, 3), int, 1, constant_values=Along(1, [1, 2, 3])), ValueError, "each position of axis 1"),
        (lambda: pad_kernels.read(IMAGE, [(0, 1)] * 3, constant_values=Along(1, [1])), ValueError, "Along(1, [1])"),
        (lambda: pad_kernels.pad_batch([[1]], constant_values=Along(0, [1])), TypeError, "Along(0, [1])"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(2, [1, 2, 300])), (ValueError, OverflowError), "300"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(2, [1.9, 0, 0])), ValueError, "1.9 is no element of dtype uint8"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(2, np.array([0, 0.5, 0], "f4"))), ValueError, "0.5) is no element"),
        (lambda: pad(IMAGE + 0.5, {0: 1}, constant_values=Along(2, [1j, 0, 0])), ValueError, "1j is no element of dtype float64"),
        (lambda: pad(IMAGE + 0.5, {0: 1}, constant_values=Along(2, np.array([2, 0, 0], "c8"))), ValueError, "is no element"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(2, [1, 2, [3, 4]])), ValueError, "inhomogeneous"),
        (lambda: pad(IMAGE, {0: 1}, constant_values=Along(2, [[1], [2], [3]])), ValueError, "axis 2 has length 3"),
        (lambda: pad(IMAGE, {0: 1}, len, constant_values=Along(2, [1, 2, 3])), TypeError, "modes by their names"),
        (lambda: pad(IMAGE, {0: -9}, constant_values=Along(2, [1, 2, 3])), ValueError, "axis 0"),
        (lambda: pad(np.array([[None]]), {0: 1}, constant_values=Along(1, [1])), TypeError, "dtype object"),
    ],
)
def test_wrong_colours_are_named(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_dtype_of_the_result() -> None:
    integers = np.arange(3)
    found = pad(integers, 1, dtype=float, constant_values=np.nan)
    np.testing.assert_array_equal(found, [np.nan, 0, 1, 2, np.nan])
    assert pad([1, 2], 1, "mean", dtype="f4").tolist() == [1.5, 1, 2, 1.5]
    assert pad(integers, 1, "linear_ramp", dtype=np.float64, end_values=0.5).tolist() == [0.5, 0, 1, 2, 0.5]
    out = np.empty(5, np.complex128)
    assert pad(integers, 1, "wrap", dtype=complex, out=out) is out and out.tolist() == [2, 0, 1, 2, 0]

    def edges(vector: Any, widths: Any, axis: int, kwargs: Any) -> None:
        vector[: widths[0]], vector[len(vector) - widths[1] :] = 0.5, 0.5

    assert pad(integers, 1, edges, dtype=float).tolist() == [0.5, 0, 1, 2, 0.5]
    with pytest.raises(TypeError, match="dtype is int64, and the array has float64, which may lose numbers"):
        pad(integers + 0.5, 1, dtype=np.int64)
