"""Computes statistics of an array in chunks, by trees of partial results.

numpy computes the borders of one axis after the other. The borders of a later axis are statistics of an array that already
has the borders of the earlier axes. Therefore, this module makes one array for every combination of borders. Such an array is
a statistic along the last axis of the combination. The statistic is computed from the array for the combination without this
axis.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import dask.array as da
import numpy as np

from pad_kernels.dask._layer import Sides
from pad_kernels.dask._request import Request


def statistics(array: da.Array, request: Request) -> dict[Sides, da.Array]:
    """Return an array for each combination of borders. Its length is 1 along the axis of each border in the combination."""
    assert request.lengths is not None
    mode, choices = request.padding.mode, []
    for axis, (low, high) in zip(request.axes, request.lengths, strict=True):
        same = low == high == axis.length
        sides: list[int | None] = [None]
        if axis.low or (same and axis.high):
            sides.append(0)
        if axis.high and not same:
            sides.append(1)
        choices.append(sides)
    found: dict[Sides, da.Array] = {}
    for sides_of in product(*choices):
        last = max((axis for axis, side in enumerate(sides_of) if side is not None), default=None)
        if last is None:
            found[sides_of] = array
            continue
        # The array without the last border already exists, because None is the first choice of every axis.
        of = found[(*sides_of[:last], None, *sides_of[last + 1 :])]
        length, total = request.lengths[last][sides_of[last] or 0], request.axes[last].length
        part = slice(0, length) if sides_of[last] == 0 else slice(total - length, total)
        taken = of[(slice(None),) * last + (part,)] if length < total else of
        found[sides_of] = _statistic(taken, mode, last)
    return found


def _statistic(array: da.Array, mode: str, axis: int) -> da.Array:
    dtype, length = array.dtype, array.shape[axis]
    if dtype.kind not in ("biufcmM" if mode in ("maximum", "minimum") else "biufc"):
        raise NotImplementedError(f"mode '{mode}' is not done for chunks of dtype {dtype}")
    # A chunk without elements has no statistic, so the array gets new chunks, without empty ones.
    if 0 in array.chunks[axis]:
        array = array.rechunk({axis: tuple(filter(None, array.chunks[axis]))})
    match mode:
        case "maximum" | "minimum":
            extreme = np.max if mode == "maximum" else np.min
            # numpy returns the extreme in native byte order.
            steps: Any = (extreme, extreme, partial(_extreme, extreme, of=dtype))
        case "mean":
            steps = (_sum, _sum, partial(_mean, of=dtype, length=length))
        case _:
            return _medians(array, axis)
    chunk, combine, aggregate = steps
    found: da.Array = da.reduction(
        array, chunk, aggregate, axis, keepdims=True, dtype=dtype, combine=combine, name=f"pad-{mode}", meta=array._meta
    )
    return found


def _medians(array: da.Array, axis: int) -> da.Array:
    count, dtype = array.numblocks[axis], array.dtype
    if count > 1:
        raise NotImplementedError(
            f"mode 'median' takes the elements of a line together, and along axis {axis} they lie in {count} chunks:"
            " rechunk the axis, or give a shorter stat_length"
        )
    chunks = tuple((1,) if number == axis else of_axis for number, of_axis in enumerate(array.chunks))
    found: da.Array = da.map_blocks(partial(_median, axis=axis), array, chunks=chunks, dtype=dtype, meta=array._meta)
    return found


def _extreme(extreme: Any, values: Any, axis: Any, keepdims: bool, of: np.dtype[Any]) -> Any:
    return extreme(values, axis=axis, keepdims=keepdims).astype(of, copy=False)


def _sum(chunk: Any, axis: Any, keepdims: bool) -> Any:
    """Return the sum in double precision. Without `dtype`, numpy would round the sums of narrower floats to their type."""
    return np.sum(chunk, axis=axis, keepdims=keepdims, dtype=np.result_type(chunk.dtype, np.float64))


def _mean(sums: Any, axis: Any, keepdims: bool, of: np.dtype[Any], length: int) -> Any:
    return _cast(_sum(sums, axis, keepdims) / length, of)


def _median(chunk: Any, axis: int) -> Any:
    return _cast(np.median(chunk, axis=axis, keepdims=True), chunk.dtype)


def _cast(values: Any, dtype: np.dtype[Any]) -> Any:
    """Cast the values to the dtype. If it is an integer type, round the values first, as numpy does."""
    return (np.rint(values) if np.issubdtype(dtype, np.integer) else values).astype(dtype)
