"""`pad` and `map_halo`: arrays of dask from arrays of dask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import normalize_chunks, unknown_chunk_message
from dask.array.utils import compute_meta, meta_from_array
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from dask.utils import funcname

from pad_kernels._sizes import resolved
from pad_kernels.dask._axis import Interval, joined_chunks, whole_chunk
from pad_kernels.dask._layer import Boxes, Sides
from pad_kernels.dask._request import Request, pairs, request
from pad_kernels.dask._statistics import statistics
from pad_kernels.dask._work import Applied


def pad(array: Any, pad_width: Any, mode: Any = "constant", *, chunks: Any = None, **kwargs: Any) -> da.Array:
    """Pad a dask array.

    This is :func:`numpy.pad` for arrays in chunks. Every chunk of the result
    is made by one task, of the chunks that it needs. A chunk without a
    border is the chunk of the array itself.

    Parameters
    ----------
    array : array_like
        The array to pad, of chunks that are arrays of numpy, with elements
        of a fixed size.
    pad_width : int, sequence or dict
        How many elements to add, as for :func:`pad_kernels.pad`, but not
        below zero. They may be more than a chunk or the array has.
    mode : str, sequence or dict, optional
        All of numpy's modes but functions, or one for each axis or side, as
        for :func:`pad_kernels.pad`. ``"median"`` takes the elements of each
        line together, which have to lie in one chunk.
    chunks : int, tuple, dict or str, optional
        The chunks of the result, as dask writes them: any that add up to its
        shape. By default a border joins the chunk beside it, or becomes
        chunks of its own if both together were more than one and a half
        times as long as the longest chunk of the axis.
    constant_values, reflect_type, stat_length, end_values : optional
        As for :func:`numpy.pad`.

    Returns
    -------
    dask.array.Array
        The padded array; the array itself if all widths are zero.

    Raises
    ------
    ValueError
        For arguments that numpy refuses, and for axes that are padded and
        whose chunk sizes are unknown.
    NotImplementedError
        For functions as modes, and for medians across chunks.
    TypeError
        For chunks that are no arrays of numpy, or hold Python's objects.

    Notes
    -----
    Results are those of numpy, with these exceptions. Means of floats
    differ in the last bits. Ramps are computed box by box: a flat ramp
    changes the rounding of others in its box, as in numpy of all others.

    Examples
    --------
    >>> import dask.array as da
    >>> from pad_kernels.dask import pad
    >>> x = da.arange(12, chunks=4)
    >>> padded = pad(x, 2, "reflect")
    >>> padded.chunks
    ((6, 4, 6),)
    >>> padded.compute()
    array([ 2,  1,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 10,  9])
    >>> pad(x, (9, 0), "symmetric").chunks
    ((3, 3, 3, 4, 4, 4),)
    >>> pad(x, 2, "edge", chunks=8).chunks
    ((8, 8),)
    """
    array = da.asarray(array)
    asked = request(array, pad_width, mode, kwargs)
    if all(axis.low == axis.high == 0 for axis in asked.axes):
        same: da.Array = array if chunks is None else array.rechunk(chunks)
        return same
    made = tuple(map(joined_chunks, asked.axes))
    if chunks is not None:
        shape = tuple(map(sum, made))
        made = normalize_chunks(chunks, shape, dtype=array.dtype, previous_chunks=made)
        for number, axis in enumerate(asked.axes):
            if axis.unknown:
                made = (*made[:number], axis.chunks, *made[number + 1 :])
    boxes = [_intervals(of_axis) for of_axis in made]
    name = f"pad-{tokenize(array, asked, made)}"
    graph = _graph(name, array, asked, boxes, asked.padding)
    return da.Array(graph, name, made, dtype=array.dtype, meta=array._meta)


def pad_to(
    array: Any,
    shape: Any = None,
    *,
    multiple: Any = None,
    position: Any = "center",
    crop: bool = False,
    keep_longer: bool = False,
    mode: Any = "constant",
    chunks: Any = None,
    **kwargs: Any,
) -> da.Array:
    """Pad a dask array to a size.

    Parameters
    ----------
    array, mode, chunks
        As for :func:`pad`.
    shape, multiple, position, crop, keep_longer : optional
        As for :func:`pad_kernels.pad_to`. Axes that they name have chunks of
        known sizes.
    **kwargs
        The other arguments of :func:`pad`.

    Examples
    --------
    >>> import dask.array as da
    >>> from pad_kernels.dask import pad_to
    >>> pad_to(da.arange(10, chunks=4), multiple=8, position="start", mode="edge").compute()
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9])
    """
    array = da.asarray(array)
    if any(np.isnan(length) for length in array.shape):
        raise ValueError(f"the shape {array.shape} of the array is not known{unknown_chunk_message}")
    cut, widths = resolved(array.shape, shape, multiple, position, crop, keep_longer)
    return pad(array[cut], widths, mode, chunks=chunks, **kwargs)


def map_halo(
    function: Callable[..., Any],
    array: Any,
    depth: Any,
    mode: Any = "reflect",
    *,
    trim: bool = True,
    dtype: Any = None,
    meta: Any = None,
    mode_kwargs: dict[str, Any] | None = None,
    **kwargs: Any,
) -> da.Array:
    """Apply a function to every chunk together with its halo.

    A halo is what lies around a chunk: elements of its neighbours, and at
    the ends of the array a border of any mode. Chunk, halo and function are
    one task. A halo may be longer than a chunk, or than the array.

    Parameters
    ----------
    function : callable
        Called with an array, the chunk and its halo, and with `kwargs`. It
        must not write to the array.
    array : array_like
        As for :func:`pad`.
    depth : int, sequence or dict
        How many elements a halo has before and after each axis, in the
        forms of `pad_width`.
    mode : str, sequence or dict, optional
        What lies beyond the array, as for :func:`pad`.
    trim : bool, optional
        Whether the function returns arrays of the shape that it was given,
        of which the halo is cut off (default). Otherwise it returns arrays
        of the chunk's own shape.
    dtype, meta : optional
        The dtype of what the function returns, or an empty array of its
        kind. By default the function is called with an empty array.
    mode_kwargs : dict, optional
        Arguments of the mode, such as ``constant_values``.
    **kwargs
        For the function.

    Returns
    -------
    dask.array.Array
        In the chunks of the array.

    Examples
    --------
    >>> import dask.array as da
    >>> from pad_kernels.dask import map_halo
    >>> x = da.arange(8, chunks=3)
    >>> map_halo(lambda a: a[2:] - a[:-2], x, 1, "edge", trim=False).compute()
    array([1, 2, 2, 2, 2, 2, 2, 1])
    """
    array = da.asarray(array)
    asked = request(array, depth, mode, mode_kwargs or {})
    depths = tuple((axis.low, axis.high) for axis in asked.axes)
    if meta is None:
        meta = array._meta if dtype is not None else compute_meta(function, None, array._meta, **kwargs)
        if getattr(meta, "dtype", None) is None:
            raise ValueError("the dtype of what the function returns is not known: give dtype or meta")
    meta = meta_from_array(meta, array.ndim, dtype=dtype)
    work = Applied(asked.padding, function, depths, trim, tuple(kwargs.items()))
    boxes = [
        [(start, stop + axis.low + axis.high) for start, stop in _intervals(axis.chunks)] for axis in asked.axes
    ]
    name = f"{funcname(function)}-halo-{tokenize(array, asked, function, trim, meta, kwargs)}"
    graph = _graph(name, array, asked, boxes, work)
    return da.Array(graph, name, array.chunks, meta=meta)


def _intervals(chunks: Sequence[int]) -> list[Interval]:
    return list(pairwise(accumulate(chunks, initial=0)))


def _graph(
    name: str, array: da.Array, asked: Request, boxes: list[list[Interval]], work: Callable[..., Any]
) -> HighLevelGraph:
    """The graph of boxes of a padded array, a list of intervals an axis."""
    sources: dict[Sides, da.Array] = {(None,) * array.ndim: array}
    if asked.lengths is not None:
        sources = statistics(array, asked)
    ranges = []
    for number, (axis, of_axis) in enumerate(zip(asked.axes, boxes, strict=True)):
        if axis.unknown:
            ranges.append(tuple(map(whole_chunk, range(len(of_axis)))))
            continue
        ranges.append(tuple(asked.range(number, start, stop) for start, stop in of_axis))
    names = {sides: source.name for sides, source in sources.items()}
    layer = Boxes(name, work, names, array.chunks, tuple(ranges))
    dependencies: Any = list(sources.values())
    return HighLevelGraph.from_collections(name, layer, dependencies=dependencies)
