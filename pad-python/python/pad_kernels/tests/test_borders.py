"""Borders in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pad_kernels import fill_borders

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


def test_what_has_no_borders() -> None:
    array = np.ones((4, 4))
    wrong: list[Any] = [
        (array, 3),
        (array, (-1, 1)),
        (array, 2, "edge"),
        (array, 1, "mean"),
        (array, 1, "empty"),
        (array, 1, "constant", (1, 2)),
        (np.broadcast_to(1.0, (4, 4)), 1, "edge"),
        (np.lib.stride_tricks.as_strided(array, (4, 4), (8, 8)), 1, "edge"),
        (array.astype(object), 1),
    ]
    for given, width, *mode in wrong:
        values = {"constant_values": mode.pop()} if len(mode) > 1 else {}
        with pytest.raises(ValueError):
            fill_borders(given, width, *mode, **values)
    with pytest.raises(TypeError):
        fill_borders([1, 2, 3], 1)  # type: ignore[arg-type]
    assert (array == 1).all()
