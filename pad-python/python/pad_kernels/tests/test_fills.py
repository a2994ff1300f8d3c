"""Tests of fills of all kinds, in every function that has a fill. The results must equal those of numpy.pad."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pad_kernels
from pad_kernels import _numpy

NUMBERS = ["?", "b", "B", "i2", "u2", "i4", "u4", "i8", "u8", "e", "f", "d", "g", "F", "D"]
DTYPES = [*NUMBERS, ">i4", ">u8", ">e", ">f4", ">f8", ">c8", "M8[s]", "m8[D]", ">M8[ns]", "S3", "U2", "V4"]


def scalars() -> st.SearchStrategy[Any]:
    """Return a strategy that draws numbers of Python, and scalars of all types of numpy."""
    edges = [2**n + d for n in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64) for d in (-1, 0, 1)]
    of_python = st.one_of(
        st.booleans(),
        st.sampled_from([0, 0.0, -0.0, 1e300, 0.1, 1.5, -1.5, float("nan"), float("inf"), *edges, *(-edge for edge in edges)]),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.floats(width=32),
        st.complex_numbers(),
    )
    of_numpy = st.sampled_from([*NUMBERS, "M8[s]", "m8[D]", "M8[ns]"]).flatmap(lambda name: hnp.from_dtype(np.dtype(name)))
    return st.one_of(of_python, of_numpy)


def doors(array: Any) -> dict[str, Callable[[Any], Any]]:
    """Return a call for each function that has a fill. The call pads `array` by one element on every side."""

    def in_place(fill: Any) -> Any:
        grid = np.zeros([length + 2 for length in array.shape], array.dtype)
        grid[(slice(1, -1),) * array.ndim] = array
        pad_kernels.fill_borders(grid, 1, constant_values=fill)
        return grid

    box = [(-1, length + 1) for length in array.shape]
    found: dict[str, Callable[[Any], Any]] = {
        "pad": lambda fill: pad_kernels.pad(array, 1, constant_values=fill),
        "Plan": lambda fill: pad_kernels.Plan(array.shape, array.dtype, 1, constant_values=fill)(array),
        "read": lambda fill: pad_kernels.read(array, box, constant_values=fill),
        "fill_borders": in_place,
    }
    if importlib.util.find_spec("dask"):
        import pad_kernels.dask

        found["dask"] = lambda fill: pad_kernels.dask.pad(array, 1, constant_values=fill).compute(scheduler="sync")
    return found


def outcome(call: Callable[[Any], Any], fill: Any) -> tuple[Any, Any]:
    """Return the result and the warnings of a call, or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return call(fill), {warning.category for warning in caught}
        except Exception as error:
            return error, None


def check(dtype: str, fill: Any) -> None:
    array = np.zeros((2, 3), dtype)
    of_numpy, warned = outcome(lambda fill: _numpy.implementation(array, 1, constant_values=fill), fill)
    for name, call in doors(array).items():
        ours, ours_warned = outcome(call, fill)
        if isinstance(of_numpy, Exception) and name != "pad":
            assert type(ours) is ValueError and f"constant_values is {fill!r}: give one value that" in str(ours), (name, ours)
            continue
        if isinstance(of_numpy, Exception):
            assert type(ours) is type(of_numpy) and str(ours) == str(of_numpy), (name, ours, of_numpy)
            continue
        assert not isinstance(ours, Exception), (name, ours)
        assert ours.dtype == of_numpy.dtype and ours_warned == warned, (name, ours_warned, warned)
        if dtype == "g":
            # An element has 16 bytes, and 6 of them have no meaning.
            np.testing.assert_array_equal(ours, of_numpy)
        else:
            assert ours.tobytes() == of_numpy.tobytes(), (name, ours, of_numpy)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(DTYPES), scalars())
def test_any_fill(dtype: str, fill: Any) -> None:
    check(dtype, fill)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "fill",
    [True, False, 0, 0.0, -0.0, 7, 2**24 + 1, 2**53 + 1, 2**60 + 2**36 + 1, 2**63 - 1, 2**64 - 1, 0.1, 1e300, float("nan")]
    + [np.float64(0.1), np.float64("nan"), np.float32(0.1), np.int64(5), np.uint8(200), np.True_, np.complex64(1j)],
    ids=repr,
)
def test_fills_that_programs_give(dtype: str, fill: Any) -> None:
    check(dtype, fill)
