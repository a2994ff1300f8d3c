"""Tests of features that numpy.pad lacks: negative widths, interior padding, `out=` and threads."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pad_kernels
from pad_kernels.tests.formulas import padded

MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]


@settings(max_examples=800, deadline=None)
@given(st.data())
def test_negative_widths_and_gaps(data: st.DataObject) -> None:
    mode = data.draw(st.sampled_from(MODES))
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    widths = data.draw(st.lists(st.tuples(st.integers(-4, 7), st.integers(-4, 7)), min_size=len(shape), max_size=len(shape)))
    gaps = data.draw(st.lists(st.integers(0, 2), min_size=len(shape), max_size=len(shape)))
    frame = data.draw(st.sampled_from([None, "cropped", "uncropped"]))
    cropped = frame == "cropped" or (frame is None and mode == "wrap")
    for length, gap, (low, high) in zip(shape, gaps, widths):
        opened = length + gap * (length - 1)
        assume(opened + low + high >= 0)
        # Borders are made from the elements that remain, so there must be at least one.
        assume(opened + min(low, 0) + min(high, 0) > 0)
    array = np.arange(np.prod(shape), dtype="i2").reshape(shape) + 1
    array = data.draw(st.sampled_from([array, np.asfortranarray(array), np.repeat(array, 3, axis=-1)[..., ::3]]))
    values: dict[str, Any] = {"constant_values": -1} if mode == "constant" or any(gaps) else {}
    found = pad_kernels.pad(array, widths, mode, interior=gaps, frame=frame, **values)
    np.testing.assert_array_equal(found, padded(array, widths, mode, gaps, cropped, -1))


@pytest.mark.parametrize("mode", [*MODES, "mean", "linear_ramp"])
@pytest.mark.parametrize("order", ["C", "F", "steps", "backwards"])
def test_out_lies_as_it_likes(mode: Any, order: str) -> None:
    array = np.arange(12.0).reshape(3, 4)
    whole = np.full((12, 20), 7.0)
    out: Any = {
        "C": np.empty((6, 9)),
        "F": np.empty((6, 9), order="F"),
        "steps": whole[::2, 1:19:2],
        "backwards": whole[5::-1, 8::-1],
    }[order]
    for source in (array, np.asfortranarray(array), np.repeat(array, 2, axis=1)[:, ::2]):
        assert pad_kernels.pad(source, ((1, 2), (3, 2)), mode, out=out) is out
        np.testing.assert_array_equal(out, np.pad(array, ((1, 2), (3, 2)), mode))
    if order == "steps":
        assert (whole[1::2] == 7).all() and (whole[:, ::2] == 7).all()


def test_out_may_hold_the_input() -> None:
    for mode in MODES:
        buffer = np.arange(25.0).reshape(5, 5)
        inside = buffer[1:4, 1:4]
        expected = np.pad(inside.copy(), 1, mode)
        pad_kernels.pad(inside, 1, mode, out=buffer)
        np.testing.assert_array_equal(buffer, expected)


@pytest.mark.parametrize(
    ("out", "error", "words"),
    [
        (np.empty(4), ValueError, r"out has shape \[4\], and the result \[5\]"),
        (np.empty((5, 1)), ValueError, r"out has shape \[5, 1\]"),
        (np.empty(10)[::2][:4], ValueError, r"out has shape \[4\]"),
        (np.empty(5, "f4"), TypeError, "out has dtype float32, and the result float64"),
        (np.broadcast_to(0.0, 5), ValueError, "out is read-only"),
        (np.lib.stride_tricks.as_strided(np.zeros(5), (5,), (0,)), ValueError, "share a place"),
        ([0] * 5, TypeError, "out is a list: give a numpy.ndarray"),
        (np.ma.zeros(5), TypeError, "out is a MaskedArray: give a numpy.ndarray, and no subclass"),
    ],
)
def test_out_is_refused(out: Any, error: type[Exception], words: str) -> None:
    before = np.array(out).copy()
    with pytest.raises(error, match=words):
        pad_kernels.pad(np.ones(3), 1, out=out)
    np.testing.assert_array_equal(before, out)


class Broken:
    def __index__(self) -> int:
        raise KeyError("own")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"pad_width": -2}, ValueError, "axis 0: length 3 with low -2, high -2, interior 0 would become -1"),
        ({"pad_width": (-3, 1), "mode": "wrap"}, ValueError, "axis 0: the low pad removes all 3 elements"),
        ({"pad_width": 0, "interior": -1}, ValueError, "interior cannot be negative"),
        ({"pad_width": 0, "interior": (1, 2)}, ValueError, "interior has 2 entries for an array of 1 axes"),
        ({"pad_width": 0, "interior": 1.5}, TypeError, "interior is 1.5: give an integer from 0 on"),
        ({"pad_width": 0, "interior": 2**64}, ValueError, "interior is 18446744073709551616: give a number below 2"),
        ({"pad_width": 0, "interior": Broken()}, KeyError, "own"),
        ({"pad_width": 0, "threads": Broken()}, KeyError, "own"),
        ({"pad_width": 0, "mode": {Broken(): "edge"}}, KeyError, "own"),
        ({"pad_width": 0, "dtype": "3f8"}, TypeError, "whose elements are arrays: give float64"),
        ({"pad_width": 0, "interior": {0: 2}}, TypeError, "interior is {0: 2}: give an integer"),
        ({"pad_width": 0, "interior": itertools.repeat(0)}, TypeError, "interior is repeat"),
        ({"pad_width": 1.5, "interior": 1}, ValueError, "pad_width is 1.5, and the array has 1 axes"),
        ({"pad_width": 0, "interior": 2**62}, ValueError, "more than an axis can hold"),
        ({"pad_width": 0, "interior": 1, "mode": "empty"}, ValueError, "no interior"),
        ({"pad_width": 0, "interior": 1, "mode": "mean"}, ValueError, "mode 'mean' computes its borders, and takes no interior: leave"),
        ({"pad_width": 0, "frame": "none"}, ValueError, "frame is 'uncropped' or 'cropped'"),
        ({"pad_width": 0, "threads": 0}, ValueError, "threads is 0: give 1 or more, or -1"),
        ({"pad_width": 0, "threads": -2}, ValueError, "threads is -2"),
        ({"pad_width": 0, "threads": 1.5}, TypeError, "threads is 1.5: give an integer"),
        ({"pad_width": 0, "threads": 2**70}, ValueError, "threads is 1180591620717411303424"),
        ({"pad_width": -1, "mode": "mean"}, ValueError, "can't contain negative values: pad_width is -1, and mode 'mean' computes its borders; crop"),
        ({"pad_width": -1, "mode": "reflect", "reflect_type": "odd"}, ValueError, "pad_width is -1, and odd mode 'reflect' computes"),
        ({"pad_width": -1, "mode": "antireflect"}, ValueError, "pad_width is -1, and mode 'antireflect' computes"),
        ({"pad_width": 1, "mode": "antireflect", "end_values": 1}, TypeError, "mode 'antireflect' has no argument 'end_values'"),
        ({"pad_width": (-1, 2, 3)}, ValueError, r"pad_width is \(-1, 2, 3\), and the array has 1 axes: give an integer"),
        ({"pad_width": [[-1, 2], [3, 4]], "mode": "edge"}, ValueError, "and the array has 1 axes: give an integer"),
        ({"pad_width": {7: -1}, "mode": "empty"}, ValueError, "pad_width is {7: -1}, and the array has 1 axes"),
        ({"pad_width": {0: (-1,)}, "mode": "mean"}, ValueError, r"pad_width is {0: \(-1,\)}, and the array has 1 axes"),
        ({"pad_width": -1, "constant_values": "x"}, ValueError, "constant_values is 'x': give one value that dtype float64 holds"),
        ({"pad_width": 1, "interior": 1, "constant_values": "x"}, ValueError, "constant_values is 'x': give one value that dtype float64"),
        ({"pad_width": -1, "constant_values": (1, 2)}, ValueError, "pad_width is -1, and constant_values gives one value for each side"),
        ({"pad_width": 1, "interior": 1, "constant_values": (1, 2)}, ValueError, "interior takes one value for all: give one"),
        ({"pad_width": -1, "mode": print}, ValueError, r"pad_width is -1, and mode is a function; crop"),
        ({"pad_width": {0: (1, -1)}, "mode": print}, ValueError, r"pad_width is {0: \(1, -1\)}, and"),
        ({"pad_width": 0, "interior": 1, "mode": print}, TypeError, "interior is for modes by their names: numpy itself"),
        ({"pad_width": (2**61, -1)}, MemoryError, "larger than memory"),
        ({"pad_width": 2**61, "mode": ["edge"]}, MemoryError, "larger than memory"),
        ({"pad_width": 2**61, "frame": "cropped"}, MemoryError, "larger than memory"),
    ],
)
def test_what_cannot_be_is_refused(arguments: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        pad_kernels.pad(np.ones(3), **arguments)


def test_out_of_calls_that_numpy_runs_is_refused() -> None:
    masked = np.ma.array(np.zeros(5, object), mask=True, hard_mask=True)
    with pytest.raises(TypeError, match="out is a MaskedArray: give a numpy.ndarray, and no subclass"):
        pad_kernels.pad(np.array([1, None, 3], object), 1, out=masked)
    with pytest.raises(TypeError, match="out has dtype int64, and the result object"):
        pad_kernels.pad(np.array([1, None, 3], object), 1, out=np.zeros(5, "i8"))


def test_negative_widths_of_objects_are_refused() -> None:
    with pytest.raises(ValueError, match="pad_width is -1, and numpy itself pads arrays of dtype object"):
        pad_kernels.pad(np.array([1, None, 2], object), -1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"interior": 1}, "interior is for elements of a fixed size, and the array has dtype object"),
        ({"mode": ["edge"]}, "a mode for each axis is for elements of a fixed size"),
        ({"mode": "nanmean"}, "mode 'nanmean' is for elements of a fixed size, and the array has dtype object"),
    ],
)
def test_what_objects_lack_is_named(arguments: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        pad_kernels.pad(np.array([1, None, 2], object), 1, **arguments)


@pytest.mark.parametrize("mode", [*MODES, "empty"])
def test_threads_write_the_same(mode: str) -> None:
    array = np.random.default_rng(0).random((300, 700))
    for threads in (2, 3, 2, -1, 10**6):
        found = pad_kernels.pad(array, ((20, 3), (0, 50)), mode, threads=threads)
        if mode != "empty":
            np.testing.assert_array_equal(found, pad_kernels.pad(array, ((20, 3), (0, 50)), mode))


def test_arrays_do_not_change_while_arguments_are_read() -> None:
    array = np.arange(4.0)

    class Value:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            array.shape = (2, 2)
            return np.array(7.0)

    with pytest.raises(ValueError, match="the array was changed while its arguments were read"):
        pad_kernels.pad(array, 1, constant_values=Value())


@pytest.mark.parametrize("plan", [False, True])
def test_arrays_do_not_change_while_dtypes_are_compared(plan: bool) -> None:
    class Title:
        def __eq__(self, other: object) -> bool:
            array.resize((1,), refcheck=False)
            return True

        def __hash__(self) -> int:
            return 5

    array, out = (np.zeros(n, [((Title(), "x"), "f8")]) for n in (1000, 1002))
    with pytest.raises(ValueError, match="the array was changed while its arguments were read"):
        if plan:
            pad_kernels.Plan(1000, array.dtype, 1, "edge")(array, out)
        else:
            pad_kernels.pad(array, 1, "edge", out=out)
    assert len(pad_kernels.pad_batch([array, out], constant_values=out[0])) == 2


def test_errors_of_fortran_arrays_name_their_axis() -> None:
    with pytest.raises(ValueError, match="axis 0: length 3 with low -9"):
        pad_kernels.pad(np.asfortranarray(np.zeros((3, 4, 5))), {0: (-9, 0)}, "edge")


def test_lengths_of_a_batch_can_be_changed() -> None:
    _, lengths = pad_kernels.pad_batch([[1], [2, 3]], lengths=True)
    lengths[0] = 5
    assert lengths.tolist() == [5, 2]


def test_antireflect_is_no_unknown_mode() -> None:
    with pytest.raises(TypeError, match="not with bool"):
        pad_kernels.pad(np.array([True, False]), 1, "antireflect")
    with pytest.raises(TypeError, match="in the byte order of this machine, not with [<>]f8: convert the array by astype"):
        pad_kernels.pad(np.arange(3.0).astype(np.dtype("f8").newbyteorder()), 1, "antireflect")


def test_antisymmetric_is_named_as_it_was_given() -> None:
    with pytest.raises(TypeError, match="mode 'antisymmetric' computes with signed integers, .*, not with uint8"):
        pad_kernels.pad(np.array([1, 2], "u1"), 1, "antisymmetric")
    with pytest.raises(ValueError, match="axis 0: there is no element to compute a border from"):
        pad_kernels.pad(np.zeros(0), 1, "antisymmetric")
