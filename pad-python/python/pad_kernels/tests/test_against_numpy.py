"""Tests that calls return the results of numpy, and raise the errors of numpy."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pad_kernels
from pad_kernels import _numpy

# The tests also make calls that the stubs do not allow.
numpy_pad: Any = _numpy.dispatcher
pad: Any = pad_kernels.pad

MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]
DTYPES = ["?", "b", "B", "<i2", ">i4", "u8", "e", "f", "d", "F", "D", "M8[s]", "m8[D]", "S3", "U2", "V5", "g"]
RECORD = np.dtype([("a", "u1"), ("b", "<f4"), ("c", "2i2")])


def same(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert ours.flags.fnc == theirs.flags.fnc
    if ours.dtype.char == "g":
        # A long double has 16 bytes, and 6 of them have no meaning.
        np.testing.assert_array_equal(ours, theirs)
    else:
        assert ours.tobytes("A") == theirs.tobytes("A")


def bytes_of(dtype: Any, shape: tuple[int, ...], seed: int) -> Any:
    dtype, rng = np.dtype(dtype), np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "U":
        return rng.integers(97, 122, (*shape, dtype.itemsize // 4)).astype("u4").view(dtype)[..., 0]
    return rng.integers(0, 256, (*shape, dtype.itemsize)).astype("u1").view(dtype)[..., 0]


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Return an array of any dtype with any memory layout."""
    dtype = draw(st.sampled_from([*DTYPES, RECORD]))
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=7))
    steps = draw(st.lists(st.sampled_from([1, 1, 2, -1, -3]), min_size=len(shape), max_size=len(shape)))
    whole = bytes_of(dtype, tuple(abs(step) * n for step, n in zip(steps, shape)), draw(st.integers(0, 99)))
    array = whole[tuple(slice(None, None, step) for step in steps)]
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    match draw(st.integers(0, 5)):
        case 0:
            return np.asfortranarray(array)
        case 1:
            return np.broadcast_to(array[..., :1], array.shape) if array.size else array
        case 2:
            return np.ascontiguousarray(array)
        case _:
            return array


def widths(rank: int) -> st.SearchStrategy[Any]:
    side = st.integers(0, 9)
    pair = st.tuples(side, side)
    each = st.one_of(st.lists(pair, min_size=rank, max_size=rank), st.lists(st.tuples(side), min_size=rank, max_size=rank))
    of_dict = st.dictionaries(st.integers(-rank, rank - 1), st.one_of(side, pair))
    arrays = st.sampled_from([np.int8, np.int64, np.intc]).flatmap(lambda t: each.map(lambda each: np.array(each, t)))
    return st.one_of(side, pair, st.tuples(side), each, each.map(tuple), of_dict, arrays)


def both(*args: Any, **kwargs: Any) -> None:
    """Check that `pad` and numpy.pad return equal results, or raise equal errors with equal messages."""
    with warnings.catch_warnings(record=True) as of_numpy:
        warnings.simplefilter("always")
        try:
            theirs = numpy_pad(*args, **kwargs)
        except Exception as error:
            with pytest.raises(type(error)) as refused:
                pad(*args, **kwargs)
            assert str(refused.value) == str(error)
            return
    with warnings.catch_warnings(record=True) as of_ours:
        warnings.simplefilter("always")
        same(pad(*args, **kwargs), theirs)
    assert {w.category for w in of_ours} == {w.category for w in of_numpy}


@settings(max_examples=1500, deadline=None)
@given(st.data())
def test_random_calls(data: st.DataObject) -> None:
    array = data.draw(arrays())
    width = data.draw(widths(array.ndim))
    mode = data.draw(st.sampled_from(MODES))
    both(array, width, mode)


NUMBERS = ["b", "B", "i2", "u2", "i4", "u4", "i8", "u8", "e", "f", "d", "F", "D", "?"]
COMPUTED = ["linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "constant"]


@settings(max_examples=1500, deadline=None)
@given(st.data())
def test_borders_that_are_computed(data: st.DataObject) -> None:
    dtype = np.dtype(data.draw(st.sampled_from(NUMBERS)))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=9))
    # The numbers are small, so their sums are exact in every type.
    array = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 8, shape).astype(dtype)
    array = data.draw(st.sampled_from([array, array.T, array[::-1], np.asfortranarray(array)]))
    width = data.draw(widths(array.ndim))
    mode = data.draw(st.sampled_from(COMPUTED))
    pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=array.ndim, max_size=array.ndim)
    value = data.draw(st.one_of(st.integers(0, 20), st.tuples(st.integers(1, 9), st.integers(0, 9)), pairs))
    given = data.draw(st.booleans())
    match mode:
        case "reflect" | "symmetric":
            arguments: Any = {"reflect_type": "odd"}
        case "constant":
            arguments = {"constant_values": value}
        case "linear_ramp":
            arguments = {"end_values": value} if given else {}
        case _:
            arguments = {"stat_length": value} if given else {}
    both(array, width, mode, **arguments)


VALUES = [
    [(1, 2), (3, 4)], [(1, 1), (1, 1)], [(1, 2.5), (3, 4)], [(True, 2), (3, 4)], [(1, 2, 3), (4, 5, 6)], [(1, 2)], [(1,), (2,)], (1, 2, 3),
    [[300, 1], [2, 3]], [[1j, 2], [3, 4]], [[1.5, float("nan")], [0, 0]], [[1e300] * 2] * 2, [[300], [1]], (300, 1), [["a", "b"]] * 2,
    0, 1, -1, 300, 2**40, 2**63, -(2**70), True, 1.5, -0.0, 1e300, float("nan"), float("inf"), 2j, (0, 0), (1, 2),
    ((3, 4),), np.int8(-3), np.float32(0.1), np.array([7]), "7", b"a", None, Fraction(1, 3), np.datetime64(3, "s"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("dtype", [*DTYPES, RECORD], ids=str)
def test_constants_are_cast_as_numpy_casts_them(dtype: Any, value: Any) -> None:
    both(bytes_of(dtype, (2, 3), 0), ((1, 2), (0, 1)), "constant", constant_values=value)


@pytest.mark.parametrize("mode", [*MODES, "empty", "mean", "linear_ramp"])
def test_what_is_no_array_becomes_one(mode: str) -> None:
    shown: list[Any] = [[1, 2, 3], ((1.5,), (2,)), np.arange(4).view(np.recarray), np.ma.array([1, 2], mask=[False, True])]
    for given in [*shown, np.float32(3), 5]:
        if mode == "empty":
            assert pad(given, 0, mode).tolist() == numpy_pad(given, 0, mode).tolist()
        else:
            both(given, 2, mode)


def test_arrays_with_a_padding_of_their_own_keep_it() -> None:
    class Own:
        def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return function, args[1:], kwargs

    own = Own()
    assert pad(own, 1, "edge") == numpy_pad(own, 1, "edge")


def test_empty_leaves_the_rest_as_it_is() -> None:
    array = np.arange(6).reshape(2, 3)
    out = np.full((4, 6), 7)
    pad(array, ((1, 1), (2, 1)), "empty", out=out)
    expected = np.full((4, 6), 7)
    expected[1:3, 2:5] = array
    np.testing.assert_array_equal(out, expected)
    # A negative width crops.
    np.testing.assert_array_equal(pad(array, ((0, 0), (-1, 0)), "empty"), array[:, 1:])
    # If it crops more elements than the axis has, only border remains.
    for widths in [(-5, 7), (7, -5)]:
        assert pad(array, ((0, 0), widths), "empty").shape == (2, 5)


@pytest.mark.parametrize(
    "call",
    [
        lambda pad, a: pad(a, 1.5),
        lambda pad, a: pad(a, True),
        lambda pad, a: pad(a, np.uint8(1)),
        lambda pad, a: pad(a, "1"),
        lambda pad, a: pad(a, None),
        lambda pad, a: pad(a, []),
        lambda pad, a: pad(a, (1, 2, 3)),
        lambda pad, a: pad(a, ((1, 2), (3,))),
        lambda pad, a: pad(a, ((1, 2), (3, 4), (5, 6))),
        lambda pad, a: pad(a, {2: 1}),
        lambda pad, a: pad(a, {0: 1.5}),
        lambda pad, a: pad(a, {0: (1, 2, 3)}),
        lambda pad, a: pad(a, 1, "circular"),
        lambda pad, a: pad(a, 1, None),
        lambda pad, a: pad(a, 1, 3),
        lambda pad, a: pad(a, 1, "edge", constant_values=1),
        lambda pad, a: pad(a, 1, "constant", reflect_type="odd"),
        lambda pad, a: pad(a, 1, "reflect", reflect_type="new"),
        lambda pad, a: pad(a, 1, "wrap", width=3),
        lambda pad, a: pad(a, 1, "mean", stat_length=0),
        lambda pad, a: pad(a[:, :0], 1, "edge"),
        lambda pad, a: pad(a, 1, "mean", stat_length=-1),
        lambda pad, a: pad(a, 2**62),
        lambda pad, a: pad(a, 2**40),
        lambda pad, a: pad(a, 2**70),
    ],
)
def test_numpy_says_what_is_wrong(call: Any) -> None:
    array = np.arange(6.0).reshape(2, 3)
    try:
        theirs = call(numpy_pad, array)
    except BaseException as error:
        with pytest.raises(type(error)) as refused:
            call(pad_kernels.pad, array)
        assert str(refused.value) == str(error)
    else:
        same(call(pad_kernels.pad, array), theirs)


def test_bfloat16_and_small_floats() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"]:
        dtype = np.dtype(getattr(ml_dtypes, name))
        array = bytes_of(dtype, (3, 5), 1)
        for mode in MODES:
            same(pad(array, ((2, 1), (0, 4)), mode), numpy_pad(array, ((2, 1), (0, 4)), mode))
        both(array, 1, "constant", constant_values=1.5)


def test_fields_of_records_are_read() -> None:
    records = bytes_of(RECORD, (4, 5), 2)
    for name in RECORD.names or ():
        both(records[name], 2, "reflect")
