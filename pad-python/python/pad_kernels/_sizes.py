"""Pad to a size: the caller gives the lengths of the result instead of widths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pad_kernels import _numpy
from pad_kernels._along import refuse_carried
from pad_kernels._pad_kernels import batch, pad, shown, widths_to

if TYPE_CHECKING:
    from pad_kernels._pad_kernels import AxisModes

Lengths: TypeAlias = int | Sequence[int | None] | Mapping[int, int] | None
Position: TypeAlias = Literal["start", "center", "center_odd_before", "end"]
Positions: TypeAlias = Position | Sequence[Position] | Mapping[int, Position]


def pad_to(
    array: ArrayLike,
    shape: Lengths = None,
    *,
    multiple: Lengths = None,
    position: Positions = "center",
    crop: bool = False,
    keep_longer: bool = False,
    mode: str | AxisModes = "constant",
    **kwargs: Any,
) -> NDArray[Any]:
    """Pad an array to a size.

    Parameters
    ----------
    array : array_like
        The array to pad.
    shape : int, sequence or dict, optional
        The lengths of the result: one length for all axes, one for each axis,
        or ``{axis: length}``. If the entry of an axis is None, or the dict does
        not name the axis, the axis keeps its length.
    multiple : int, sequence or dict, optional
        Numbers, in the same forms as `shape`. The axis gets the smallest length
        that is a multiple of its number and not shorter than the array. If
        `shape` names the axis, too, the length in `shape` is rounded up to the
        next multiple.
    position : str, sequence or dict, optional
        The position of the array in the longer axis: ``"start"``, ``"center"``
        (default), ``"center_odd_before"`` or ``"end"``. If the number of added
        elements is odd, ``"center"`` adds one more after the array, and
        ``"center_odd_before"`` adds one more before it. If an axis is cropped,
        the elements at this position remain.
    crop : bool, optional
        Whether to crop axes that are longer than `shape`. By default, such an
        axis is an error.
    keep_longer : bool, optional
        Whether axes that are longer than `shape` keep their length, or get the
        next multiple.
    mode : str, sequence, dict or function, optional
        The mode, as in :func:`pad`.
    **kwargs
        The other arguments of :func:`pad` except `interior`, such as
        ``constant_values``.

    Returns
    -------
    ndarray
        The padded array.

    Raises
    ------
    ValueError
        If an axis is longer than `shape` says, or if an argument does not match
        the number of axes.
    TypeError
        If a length is not an integer, or if `interior` is not 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pad_kernels import pad_to
    >>> a = np.array([1, 2, 3])
    >>> pad_to(a, 6)
    array([0, 1, 2, 3, 0, 0])
    >>> pad_to(a, multiple=4, position="end", mode="edge")
    array([1, 1, 2, 3])
    >>> pad_to(a, 2, crop=True, position="start")
    array([1, 2])
    >>> pad_to(np.zeros((427, 640, 3)), multiple={0: 32, 1: 32}).shape
    (448, 640, 3)
    """
    for name in ("interior", "pad_width"):
        if name in kwargs and (name == "pad_width" or np.any(kwargs[name])):
            raise TypeError(f"pad_to takes no {name}, which would change the size: call pad")
    given = _numpy.as_array(array)
    cut, widths = resolved(given.shape, shape, multiple, position, crop, keep_longer)
    padded: NDArray[Any] = pad(given[cut], widths, mode, **kwargs)
    return padded


def resolved(
    lengths: tuple[int, ...], shape: Any, multiple: Any, position: Any, crop: bool, keep_longer: bool
) -> tuple[tuple[slice, ...], list[tuple[int, int]]]:
    """Return the part of the array that remains after a crop, and the widths around it."""
    if crop and keep_longer:
        raise ValueError("crop and keep_longer are both true: longer axes are cropped or kept")
    if shape is None and multiple is None:
        raise TypeError("pad_to: give shape or multiple")
    if not lengths:
        raise ValueError("pad_to: the array has no axes, so that nothing can be padded")
    asked = _asked(len(lengths), shape, multiple, position), "crop" if crop else "keep" if keep_longer else "error"
    widths = widths_to(lengths, asked)
    # An axis is either cropped or extended. The crop can come first, so that it works in every mode.
    cut = tuple(slice(max(0, -low), length + min(0, high)) for length, (low, high) in zip(lengths, widths, strict=True))
    return cut, [(max(0, low), max(0, high)) for low, high in widths]


def _asked(rank: int, shape: Any, multiple: Any, position: Any) -> list[tuple[int | None, int | None, str]]:
    """Return the length, the multiple and the position for each axis."""
    lengths = [_number("shape", axis, value) for axis, value in enumerate(each_axis("shape", shape, rank, None))]
    multiples = [_number("multiple", axis, value) for axis, value in enumerate(each_axis("multiple", multiple, rank, None))]
    return list(zip(lengths, multiples, map(str, each_axis("position", position, rank, "center")), strict=True))


def each_axis(name: str, given: Any, rank: int, default: Any) -> list[Any]:
    """Return one value for each axis."""
    if isinstance(given, Mapping):
        found: dict[int, Any] = {}
        for axis, value in given.items():
            try:
                axis = index(axis)
            except TypeError:
                raise TypeError(f"{name}: key {shown(axis)} is no axis: axes are integers") from None
            if not -rank <= axis < rank:
                raise ValueError(f"{name} names axis {shown(axis)}, and the array has {rank} axes")
            if axis % rank in found:
                raise ValueError(f"{name} names axis {axis % rank} twice")
            found[axis % rank] = value
        return [found.get(axis, default) for axis in range(rank)]
    if given is None or isinstance(given, str) or not np.iterable(given):
        return [given] * rank
    each = list(given)
    if len(each) != rank:
        count = f"of {len(each)} entries, and the array has {rank} axes"
        raise ValueError(f"{name} is {shown(given)}, {count}: give one for each axis")
    return each


def _number(name: str, axis: int, value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} of axis {axis} is {shown(value)}, which is no integer") from None
    least = 1 if name == "multiple" else 0
    if not least <= number < 2**62:
        raise ValueError(f"{name} of axis {axis} is {shown(number)}: give {least} or more, below 2**62")
    return number


def pad_batch(
    arrays: Sequence[ArrayLike],
    shape: Lengths = None,
    *,
    multiple: Lengths = None,
    position: Positions = "start",
    crop: bool = False,
    constant_values: Any = 0,
    dtype: DTypeLike | None = None,
    mask: bool = False,
    lengths: bool = False,
) -> Any:
    """Put arrays of unequal lengths into one array.

    Parameters
    ----------
    arrays : sequence of array_like
        At least one array. All arrays must have the same number of axes.
    shape, multiple : int, sequence or dict, optional
        The size to which each array is padded, as in :func:`pad_to`. By default
        each axis is as long as in the longest array.
    position : str, sequence or dict, optional
        The position of each array, as in :func:`pad_to`. The default is
        ``"start"``.
    crop : bool, optional
        Whether to crop arrays that are longer than `shape`. By default, such an
        array is an error.
    constant_values : scalar, optional
        The value around the arrays. The default is 0.
    dtype : dtype, optional
        The dtype of the batch, with conversions as in :func:`pad`. By default
        it is the dtype to which numpy promotes the dtypes of the arrays. Empty
        lists have no dtype, unless all arrays are empty lists.
    mask, lengths : bool, optional
        Whether to return also a mask, and the lengths of the arrays.

    Returns
    -------
    ndarray or tuple
        The batch. Its first axis counts the arrays. With `mask` or `lengths`,
        the function returns a tuple of the batch, the mask and the lengths. The
        mask has the shape of the batch, and is True for elements of the arrays.
        The lengths are those before cropping. If the arrays have several axes,
        each array has one row of lengths.

    Examples
    --------
    >>> from pad_kernels import pad_batch
    >>> pad_batch([[1, 2, 3], [4], [5, 6]])
    array([[1, 2, 3],
           [4, 0, 0],
           [5, 6, 0]])
    >>> batch, mask, lengths = pad_batch([[1, 2, 3], [4]], position="end", mask=True, lengths=True)
    >>> batch
    array([[1, 2, 3],
           [0, 0, 4]])
    >>> mask
    array([[ True,  True,  True],
           [False, False,  True]])
    >>> lengths
    array([3, 1])
    """
    try:
        given = arrays if type(arrays) is list else list(arrays)
    except TypeError as error:
        raise TypeError(f"arrays is {shown(arrays)}, and has to be a sequence of arrays: {error}") from None
    if not given:
        raise ValueError("pad_batch: there are no arrays, so that nothing tells the dtype and the number of axes")
    first = given[0]
    dtype = None if dtype is None else _numpy.known_dtype(dtype, "dtype")
    kind = dtype if dtype is not None else first.dtype if type(first) is np.ndarray else None
    zero = type(constant_values) is int and constant_values == 0
    if dtype is None and not zero and any(type(array) is not np.ndarray or array.dtype != kind for array in given):
        # The dtype of the batch is not known yet, so that a fill cannot be converted to it.
        kind = None
    found = None if kind is None else _batch(given, kind, shape, multiple, position, crop, constant_values, mask or lengths)
    if found is None:
        converted = [_numpy.plain_array(array, f"arrays[{i}]") for i, array in enumerate(given)]
        # numpy reads an empty list as floats, but the list has no element that tells a dtype.
        empty = [isinstance(own, (list, tuple)) and not array.size for own, array in zip(given, converted, strict=True)]
        kinds = {array.dtype for array, skip in zip(converted, empty, strict=True) if not skip or all(empty)}
        # If all arrays have one dtype, the batch has it, too, with its byte order.
        kind = dtype if dtype is not None else kinds.pop() if len(kinds) == 1 else np.result_type(*kinds)
        converted = [np.empty(array.shape, kind) if skip else array for array, skip in zip(converted, empty, strict=True)]
        # A list keeps its form, so that numpy checks its integers.
        sources = [array if hasattr(own, "dtype") or not array.size else own for own, array in zip(given, converted, strict=True)]
        plain = [np.asarray(_numpy.converted(own, kind, f"arrays[{i}]"), order="C") for i, own in enumerate(sources)]
        if kind.names:
            # The compiled code takes no other dtype with fields, because the comparison of fields may run Python code.
            plain = [array.astype(kind) for array in plain]
        found = _batch(plain, kind, shape, multiple, position, crop, constant_values, mask or lengths)
    batch_of, found_lengths = found
    if not (mask or lengths):
        return batch_of
    each = np.frombuffer(found_lengths, np.int64).reshape(len(given), batch_of.ndim - 1).copy()
    made = [batch_of]
    if mask:
        made.append(_mask(batch_of.shape, each, position))
    if lengths:
        made.append(each[:, 0] if each.shape[1] == 1 else each)
    return tuple(made)


def _batch(
    given: list[Any], kind: np.dtype[Any], shape: Any, multiple: Any, position: Any, crop: bool, value: Any, lengths: bool
) -> Any:
    if not kind.itemsize:
        raise TypeError(f"pad_batch: dtype is {kind}, whose elements have no size: give one with a size, such as U10")
    zero = type(value) is int and value == 0 and kind.kind in "biufc"
    refuse_carried(value, "constant_values")
    fill = bytes(kind.itemsize) if zero else _numpy.fills(value, kind, 1)
    if fill is None or len(fill) != kind.itemsize:
        raise ValueError(f"constant_values is {shown(value)}: pad_batch takes one value that dtype {kind} holds")
    asked = _asked(np.ndim(given[0]), shape, multiple, position), "crop" if crop else "error"
    return batch(given, kind, asked, fill, lengths)


def _mask(shape: tuple[int, ...], lengths: NDArray[np.int64], position: Any) -> NDArray[np.bool]:
    """Return the mask of a batch of this shape. It is True for elements of the arrays, which have these lengths."""
    mask = np.ones(shape, bool)
    positions = each_axis("position", position, len(shape) - 1, "start")
    for axis, (of_axis, target) in enumerate(zip(positions, shape[1:], strict=True)):
        missing = np.maximum(target - lengths[:, axis], 0)
        start = {"start": 0 * missing, "center": missing // 2, "center_odd_before": (missing + 1) // 2, "end": missing}[of_axis]
        counted = np.arange(target) - start[:, None]
        within = (counted >= 0) & (counted < lengths[:, axis, None])
        mask &= within.reshape(len(lengths), *(target if i == axis else 1 for i in range(len(shape) - 1)))
    return mask
