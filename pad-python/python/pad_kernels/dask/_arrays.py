"""The functions `pad`, `pad_to` and `map_halo` for dask arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import normalize_chunks, unknown_chunk_message
from dask.array.utils import compute_meta, meta_from_array
from dask.base import tokenize, unpack_collections
from dask.delayed import delayed
from dask.highlevelgraph import HighLevelGraph
from dask.utils import funcname

from pad_kernels._sizes import each_axis, resolved
from pad_kernels.dask._axis import Axis, Interval, joined_chunks, whole_chunk
from pad_kernels.dask._layer import Boxes, Sides
from pad_kernels.dask._request import Request, request
from pad_kernels.dask._statistics import statistics
from pad_kernels.dask._work import Applied


def pad(array: Any, pad_width: Any, mode: Any = "constant", *, chunks: Any = None, **kwargs: Any) -> da.Array:
    """Pad a dask array.

    The function does for dask arrays what :func:`numpy.pad` does for numpy
    arrays. One task makes each chunk of the result, from the chunks of the
    array that it needs. If a chunk of the result equals a chunk of the array,
    no task copies it.

    Parameters
    ----------
    array : array_like
        The array to pad. Its chunks must be numpy arrays with elements of a
        fixed size.
    pad_width : int, sequence or dict
        The number of elements to add, as in :func:`pad_kernels.pad`, but not
        negative. It may exceed the length of a chunk or of the array.
    mode : str, sequence or dict, optional
        Any mode of numpy except a function, or one mode for each axis or side,
        as in :func:`pad_kernels.pad`. For ``"median"``, all elements of which
        one median is computed must lie in one chunk.
    chunks : int, tuple, dict or str, optional
        The chunks of the result, in any form that dask accepts. By default a
        border becomes part of the chunk beside it. If this chunk would be
        longer than 1.5 times the longest chunk of the axis, the border gets
        separate chunks. Axes with None, and axes that a dict does not name,
        have the default chunks.
    constant_values, reflect_type, stat_length, end_values : optional
        Arguments of the modes, as in :func:`numpy.pad`.

    Returns
    -------
    dask.array.Array
        The padded array. If all widths are zero, this is the array itself.

    Raises
    ------
    ValueError
        If numpy refuses an argument, or if the chunk sizes of a padded axis are
        unknown.
    NotImplementedError
        If the mode is a function, for a median across chunks, for a mean or median
        of no elements, or for a statistic of elements that are not numbers.
    TypeError
        If chunks are not numpy arrays, or hold Python objects, or if numpy
        refuses the type of an argument.

    Notes
    -----
    The results equal those of numpy, except for means and ramps. Floats can
    differ in the last bits, and so can means of integers whose sum exceeds
    2**53. A mean can be finite where numpy's sum overflows. Ramps of integers
    can differ by 1, and by more above 2**53. A ramp is flat if both its ends
    are equal. One flat ramp changes the rounding of all ramps on its side in
    numpy, and of the ramps of its chunk in this function.

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
    if isinstance(chunks, Mapping):
        chunks = each_axis("chunks", chunks, array.ndim, None)
    each = isinstance(chunks, (list, tuple)) and len(chunks) == array.ndim
    made = tuple(map(_default_chunks, asked.axes, chunks if each else [chunks] * array.ndim))
    if each:
        chunks = tuple(default if given is None else given for given, default in zip(chunks, made, strict=True))
    if all(axis.low == axis.high == 0 for axis in asked.axes):
        same: da.Array = array if chunks is None else array.rechunk(chunks)
        return same
    if chunks is not None:
        shape = tuple(map(sum, made))
        made = normalize_chunks(chunks, shape, dtype=array.dtype, previous_chunks=made)
    boxes = [_intervals(of_axis) for of_axis in made]
    name = f"pad-{tokenize(array, asked, made)}"
    graph = _graph(name, array, asked, boxes, asked.padding)
    return da.Array(graph, name, made, dtype=array.dtype, meta=array._meta)


def _default_chunks(axis: Axis, given: Any) -> tuple[int, ...]:
    """Return the chunks of the padded axis, unless they are given. In this case, a wide border would have many needless chunks."""
    padded = axis.low > 0 or axis.high > 0
    return (axis.low + axis.length + axis.high,) if padded and isinstance(given, (int, list, tuple)) else joined_chunks(axis)


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
        These arguments are those of :func:`pad`.
    shape, multiple, position, crop, keep_longer : optional
        These arguments are those of :func:`pad_kernels.pad_to`. The shape of
        the array must be known.
    **kwargs
        The other arguments of :func:`pad`.

    Returns
    -------
    dask.array.Array
        The padded array.

    Raises
    ------
    ValueError
        If the shape of the array is unknown, if an axis is longer than `shape`
        says, or if an argument does not match the number of axes.
    TypeError
        If there is neither `shape` nor `multiple`, or if a length is not an
        integer.

    The errors of :func:`pad` are possible, too.

    Examples
    --------
    >>> import dask.array as da
    >>> from pad_kernels.dask import pad_to
    >>> pad_to(da.arange(10, chunks=4), multiple=8, position="start", mode="edge").compute()
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9])
    """
    if "pad_width" in kwargs:
        raise TypeError("pad_to takes no pad_width, which would change the size: call pad")
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

    The halo of a chunk consists of the elements around it. They come from the
    neighbouring chunks or, at the ends of the array, from a border of any mode.
    One task reads the chunk and its halo, and calls the function. A halo may be
    longer than a chunk or the array.

    Parameters
    ----------
    function : callable
        The function to call. Its arguments are an array, which holds the chunk
        and its halo, and `kwargs`. It must not write to the array.
    array : array_like
        The array, as in :func:`pad`.
    depth : int, sequence or dict
        The number of elements of the halo before and after each axis, in the
        forms of `pad_width`.
    mode : str, sequence or dict, optional
        The mode of the border around the array, as in :func:`pad`.
    trim : bool, optional
        Whether `map_halo` removes the halo from the results. By default it does,
        and the function must return an array of the shape that it received.
        With ``trim=False``, the function must return an array of the shape of
        the chunk without its halo.
    dtype, meta : optional
        The dtype of the arrays that the function returns, or an empty array of
        their type. If you give neither, `map_halo` calls the function with an
        empty array to find the dtype.
    mode_kwargs : dict, optional
        Arguments of the mode, such as ``constant_values``.
    **kwargs
        Further arguments for the function. The function receives the results of
        dask collections, such as Delayed objects. If one of these arguments is
        or holds a collection other than an array, give `dtype` or `meta`.

    Returns
    -------
    dask.array.Array
        The results of the function, in the chunks of the array.

    Raises
    ------
    ValueError
        If `depth` or an argument of the mode is wrong, or if the dtype of the
        results is not known. During the computation, if a result of the function
        has another shape.
    TypeError
        If `function` is not callable, or as in :func:`pad`.
    NotImplementedError
        As in :func:`pad`.

    Examples
    --------
    >>> import dask.array as da
    >>> from pad_kernels.dask import map_halo
    >>> x = da.arange(8, chunks=3)
    >>> map_halo(lambda a: a[2:] - a[:-2], x, 1, "edge", trim=False).compute()
    array([1, 2, 2, 2, 2, 2, 2, 1])
    """
    if not callable(function):
        raise TypeError(f"function is {function!r}, which cannot be called")
    array = da.asarray(array)
    if not isinstance(mode_kwargs, (dict, type(None))):
        raise TypeError(f"mode_kwargs is {mode_kwargs!r}: give a dict of arguments of the mode")
    asked = request(array, depth, mode, mode_kwargs or {}, "depth")
    depths = tuple((axis.low, axis.high) for axis in asked.axes)
    if meta is None:
        meta = array._meta if dtype is not None else compute_meta(function, None, array._meta, **kwargs)
        if getattr(meta, "dtype", None) is None:
            unknown = ValueError("the dtype of what the function returns is not known: give dtype or meta")
            try:
                function(array._meta, **kwargs)
            except Exception as error:
                raise unknown from error
            raise unknown
    meta = meta_from_array(meta, array.ndim, dtype=dtype)
    # A task computes the collections in `kwargs`, and the other tasks depend on it.
    computed = delayed(kwargs, pure=True) if unpack_collections(kwargs)[0] else None
    work = Applied(asked.padding, function, depths, trim, tuple(kwargs.items()) if computed is None else ())
    boxes = [
        [(start, stop + axis.low + axis.high) for start, stop in _intervals(axis.chunks)] for axis in asked.axes
    ]
    name = f"{funcname(function)}-halo-{tokenize(array, asked, function, trim, meta, kwargs)}"
    graph = _graph(name, array, asked, boxes, work, computed)
    return da.Array(graph, name, array.chunks, meta=meta)


def _intervals(chunks: Sequence[int]) -> list[Interval]:
    return list(pairwise(accumulate(chunks, initial=0)))


def _graph(
    name: str, array: da.Array, asked: Request, boxes: list[list[Interval]], work: Callable[..., Any], computed: Any = None
) -> HighLevelGraph:
    """Return the graph of a padded array. `boxes` has the intervals of each axis. A task makes a box of one interval per axis.

    `computed` is a Delayed dict of further arguments of `work`, or None.
    """
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
    key = None if computed is None else computed.key
    layer = Boxes(name, work, names, array.chunks, tuple(ranges), key)
    dependencies: Any = [*sources.values()] if computed is None else [*sources.values(), computed]
    return HighLevelGraph.from_collections(name, layer, dependencies=dependencies)
