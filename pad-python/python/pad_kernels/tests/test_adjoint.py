"""Tests of adjoints of plans, which compute gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pad_kernels import Plan

MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_adjoints_are_adjoint(data: st.DataObject) -> None:
    """The dot product of pad(x) and g equals the one of x and adjoint(g). Integers wrap on overflow, so both are exactly equal.

    The adjoint of a window is the adjoint of the plan for a gradient that is zero outside the window.
    """
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    side = st.integers(0, 9)
    widths = data.draw(st.lists(st.tuples(side, side), min_size=len(shape), max_size=len(shape)))
    dtype = data.draw(st.sampled_from(["i1", "u2", "i4", "i8"]))
    plan = Plan(shape, dtype, widths, data.draw(st.sampled_from(MODES)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x, g = (rng.integers(0, 100, of).astype(dtype) for of in (shape, plan.output_shape))
    left = (plan(x) * g).sum(dtype=dtype)
    assert left == (x * plan.adjoint(g)).sum(dtype=dtype)
    box = [sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in plan.output_shape]
    window = plan.window([(start, stop) for start, stop in box])
    of_box = np.zeros_like(g)
    inside = tuple(slice(*ends) for ends in box)
    of_box[inside] = g[inside]
    np.testing.assert_array_equal(window.adjoint(g[inside]), plan.adjoint(of_box))


def test_gradients_that_are_none() -> None:
    with pytest.raises(ValueError, match=r"the gradient has shape \[4\], and the result \[5\]"):
        Plan(3, "f8", 1, "edge").adjoint(np.ones(4))
    with pytest.raises(TypeError, match="not added up"):
        Plan(3, "M8[s]", 1, "edge").adjoint(np.zeros(5, "M8[s]"))


@pytest.mark.parametrize(
    ("dtype", "grad"),
    [
        ("f4", np.full(5, 0.1)),
        ("i4", np.full(5, 1.5)),
        ("i1", np.full(5, 300)),
        ("f8", np.full(5, 1j)),
        ("f8", np.ones(5, ">f8")),
        (">f8", np.ones(5, "<f8")),
        ("f8", [1, 2, 3, 4, 5]),
    ],
)
def test_gradients_of_another_dtype_are_refused_as_arrays_are(dtype: str, grad: Any) -> None:
    plan = Plan(3, dtype, 1, "edge")
    with pytest.raises(TypeError, match=f"the gradient has dtype .*, and the plan {np.dtype(dtype)}"):
        plan.adjoint(grad)
    with pytest.raises(TypeError, match=f"the array has dtype .*, and the plan {np.dtype(dtype)}"):
        plan(np.asarray(grad)[1:4])


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i2", ">c16"])
def test_gradients_may_be_big_endian(dtype: str) -> None:
    native = np.dtype(dtype).newbyteorder("=")
    grad = np.arange(9).astype(native)
    expected = Plan(5, native, 2, "reflect").adjoint(grad)
    found = Plan(5, dtype, 2, "reflect").adjoint(grad.astype(dtype))
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, expected)


def test_gradients_go_where_they_are_wanted() -> None:
    plan = Plan((3, 4), "f8", 1, "wrap")
    grad = np.arange(30.0).reshape(5, 6)
    expected = plan.adjoint(grad)
    whole = np.full((3, 8), 7.0)
    assert plan.adjoint(grad, whole[:, ::2], threads=2).base is whole
    np.testing.assert_array_equal(whole[:, ::2], expected)
    assert (whole[:, 1::2] == 7).all()
    # The output may share memory with the gradient.
    plan.adjoint(grad, out=grad[1:4, 1:5])
    np.testing.assert_array_equal(grad[1:4, 1:5], expected)
    with pytest.raises(ValueError, match=r"out has shape \[3, 5\], and the plan \[3, 4\]"):
        plan.adjoint(grad, np.empty((3, 5)))
    with pytest.raises(TypeError, match="out has dtype float32, and the plan float64"):
        plan.adjoint(grad, np.empty((3, 4), "f4"))


def test_threads_add_up_the_same() -> None:
    plan = Plan((300, 700), "f8", 20, "reflect")
    grad = np.random.default_rng(0).random(plan.output_shape)
    np.testing.assert_array_equal(plan.adjoint(grad, threads=-1), plan.adjoint(grad))
