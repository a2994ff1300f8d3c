"""Pads by the formulas of the modes, one axis after the other. Tests use this module for results that numpy cannot compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def source(mode: str, x: int, length: int) -> int | None:
    """Return the index that position `x` of an axis of this length reads, or None for the fill."""
    if 0 <= x < length:
        return x
    match mode:
        case "constant":
            return None
        case "edge":
            return min(max(x, 0), length - 1)
        case "wrap":
            return x % length
        case "symmetric":
            x %= 2 * length
            return x if x < length else 2 * length - 1 - x
        case "reflect":
            if length == 1:
                return 0
            x %= 2 * length - 2
            return x if x < length else 2 * length - 2 - x
    raise ValueError(mode)


def padded(
    array: NDArray[Any],
    widths: list[tuple[int, int]],
    mode: str,
    interior: list[int] | None = None,
    cropped: bool = False,
    fill: Any = 0,
) -> NDArray[Any]:
    """Pad the array. Each axis first gets its interior padding, and is then extended or, for negative widths, cropped."""
    for axis, (low, high) in enumerate(widths):
        gap = interior[axis] if interior else 0
        length = array.shape[axis]
        opened = list(range(length)) if not gap else []
        if gap:
            for i in range(length):
                opened += [i] + [-1] * (gap if i + 1 < length else 0)
        if cropped:
            opened = opened[max(-low, 0) : len(opened) - max(-high, 0)]
            low, high = max(low, 0), max(high, 0)
        index = []
        for x in range(-low, len(opened) + high):
            at = source(mode, x, len(opened))
            index.append(-1 if at is None else opened[at])
        taken = np.take(array, np.maximum(index, 0).astype(int), axis=axis)
        filled = np.moveaxis(taken, axis, 0)
        filled[np.array(index, dtype=int) < 0] = fill
        array = taken
    return array
