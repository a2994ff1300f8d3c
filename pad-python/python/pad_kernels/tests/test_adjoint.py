"""Gradients: adjoints of plans."""

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
    """<pad(x), g> equals <x, adjoint(g)>, exactly in integers, which wrap."""
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
        Plan(3, "f4", 1, "edge").adjoint(np.ones(4))
    with pytest.raises(TypeError, match="not added up"):
        Plan(3, "M8[s]", 1, "edge").adjoint(np.zeros(5, "M8[s]"))
