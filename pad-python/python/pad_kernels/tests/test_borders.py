"""Tests of `fill_borders`, which writes borders in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pad_kernels import fill_borders, pad

MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_borders_are_those_of_padding(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    side = st.integers(0, 9)
    widths = data.draw(st.lists(st.tuples(side, side), min_size=len(shape), max_size=len(shape)))
    mode = data.draw(st.sampled_from(MODES))
    inside = np.arange(np.prod(shape), dtype=data.draw(st.sampled_from(["u1", "i4", "c16"]))).reshape(shape) + 1
    expected = np.pad(inside, widths, mode)
    steps = data.draw(st.lists(st.sampled_from([1, 2, -1]), min_size=len(shape), max_size=len(shape)))
    buffer = np.full([abs(step) * n for step, n in zip(steps, expected.shape)], 99, inside.dtype)
    buffer = data.draw(st.sampled_from([buffer, np.asfortranarray(buffer)]))
    array = buffer[tuple(slice(None, None, step) for step in steps)]
    array[tuple(slice(low, low + n) for (low, _), n in zip(widths, shape))] = inside
    given: dict[str, Any] = {"constant_values": 7} if mode == "constant" else {}
    fill_borders(array, widths, mode, **given)
    np.testing.assert_array_equal(array, np.pad(inside, widths, mode, **given) if given else expected)
    assert (buffer == 99).sum() >= buffer.size - array.size


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_sides_that_are_left_out_count_as_there(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    side = st.integers(0, 5)
    widths = data.draw(st.lists(st.tuples(side, side), min_size=len(shape), max_size=len(shape)))
    flags = st.tuples(st.booleans(), st.booleans())
    sides = data.draw(st.lists(flags, min_size=len(shape), max_size=len(shape)))
    mode = data.draw(st.sampled_from(MODES))
    whole = [low + n + high for (low, high), n in zip(widths, shape)]
    array = np.random.default_rng(0).integers(0, 99, whole)
    array = data.draw(st.sampled_from([array, np.asfortranarray(array)]))
    # This loop computes the expected array axis by axis, the last axis first. Along the axes before it, a border that is not
    # written counts as data.
    expected = array.copy()
    written = [(low if a else 0, high if b else 0) for (low, high), (a, b) in zip(widths, sides)]
    for axis in reversed(range(len(shape))):
        there = [slice(low, n - high) for (low, high), n in zip(written, whole)]
        there[axis + 1 :] = [slice(None)] * (len(shape) - axis - 1)
        (low, high), n = widths[axis], whole[axis]
        inside = expected[tuple([*there[:axis], slice(low, n - high), *there[axis + 1 :]])]
        padded = np.pad(inside, [(0, 0)] * axis + [(low, high)] + [(0, 0)] * (len(shape) - axis - 1), mode)
        for one in (slice(0, written[axis][0]), slice(n - written[axis][1], n)):
            expected[tuple([*there[:axis], one, *there[axis + 1 :]])] = padded[(slice(None),) * axis + (one,)]
    fill_borders(array, widths, mode, sides=sides)
    np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("dtype", ["u1", "f2", "S3", "f4", [("a", "i4"), ("b", "i8")], "f8", "c16", "S23"])
@pytest.mark.parametrize("mode", MODES)
def test_elements_of_any_size(dtype: Any, mode: Any) -> None:
    inside = np.zeros((3, 4), dtype)
    inside.view("u1")[:] = np.arange(inside.nbytes).reshape(3, -1) + 1
    array = np.zeros((6, 9), dtype)
    array[2:-1, 3:-2] = inside
    given: dict[str, Any] = {"constant_values": inside[0, 1]} if mode == "constant" else {}
    fill_borders(array, ((2, 1), (3, 2)), mode, **given)
    expected = pad(inside, ((2, 1), (3, 2)), mode, **given)
    assert array.tobytes() == expected.tobytes()


def test_what_has_no_borders() -> None:
    array = np.ones((4, 4))
    strided = np.lib.stride_tricks.as_strided
    interior = "axis 0 of length 4 has no interior between borders of"
    wrong: list[Any] = [
        (array, 3, "edge", {}, ValueError, f"{interior} 3 and 3"),
        (array, (-1, 1), "edge", {}, ValueError, f"{interior} -1 and 1"),
        (array, 2, "edge", {}, ValueError, "edge"),
        (array, 1, "mean", {}, ValueError, "fill_borders has no mode 'mean': give constant, edge"),
        (array, 1, "empty", {}, ValueError, "fill_borders has no mode 'empty'"),
        (array, 1, "reflect", {"reflect_type": "odd"}, ValueError, "fill_borders has no odd mode 'reflect'"),
        (array, 1, "antireflect", {}, ValueError, "fill_borders has no mode 'antireflect'"),
        (array, 1, "circular", {}, ValueError, "mode 'circular' is none of constant, edge"),
        (array, 1, np.pad, {}, TypeError, "fill_borders: mode is the function"),
        (array, 1.5, "edge", {}, ValueError, "pad_width is 1.5, and the array has 2 axes"),
        (array, 1, "edge", {"constant_values": 1}, TypeError, "mode 'edge' has no argument 'constant_values'"),
        (array, 1, "constant", {"constant_values": (1, 2)}, ValueError, "constant_values gives one value for each side"),
        (np.array(1.0), 1, "edge", {}, ValueError, "the array has no axes"),
        (np.broadcast_to(1.0, (4, 4)), 1, "edge", {}, ValueError, "read-only"),
        (strided(array, (4, 4), (8, 8)), 1, "edge", {}, ValueError, "share"),
        (array.astype(object), 1, "edge", {}, TypeError, "fill_borders: dtype object has no elements of a fixed size"),
        (strided(array, (4, 4), (8, 16)), 1, "edge", {}, ValueError, "share"),
        ([1, 2, 3], 1, "edge", {}, TypeError, "the array is a list: give a numpy.ndarray, and no subclass"),
        (array.view(np.recarray), 1, "edge", {}, TypeError, "the array is a recarray: .*; np.asarray of a subclass shares its memory"),
    ]
    for given, width, mode, values, error, words in wrong:
        with pytest.raises(error, match=words):
            fill_borders(given, width, mode, **values)
    with pytest.raises(ValueError, match="sides"):
        fill_borders(array, 1, sides=[(True, True)])
    for sides in (True, 5, "ab", [True, False], [(True,)], [(True, 1), (True, True)]):
        with pytest.raises(TypeError, match="sides is .*: give a pair of booleans for each axis"):
            fill_borders(array, 1, sides=sides)  # type: ignore[arg-type]
    assert (array == 1).all()


def test_arrays_do_not_change_while_arguments_are_read() -> None:
    array = np.zeros(1000)

    class Sides(list[tuple[bool, bool]]):
        def __iter__(self) -> Any:
            array.resize((10,), refcheck=False)
            return super().__iter__()

    class Value:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            array.flags.writeable = False
            return np.array(7.0)

    with pytest.raises(ValueError, match="the array was changed while its arguments were read"):
        fill_borders(array, 400, "edge", sides=Sides([(True, True)]))
    with pytest.raises(ValueError, match="read-only"):
        fill_borders(array, 1, constant_values=Value())
    assert not array.any()
