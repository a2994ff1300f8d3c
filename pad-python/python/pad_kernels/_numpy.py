"""What numpy does: the calls that are not native, and conversions that only it knows."""

from __future__ import annotations

from typing import Any

import numpy as np

# Kept, so that numpy.pad itself may be replaced.
_pad = np.pad
_array_function = np.ndarray.__array_function__


def as_array(value: Any) -> Any:
    """`value` as an array, or as it is if its type has its own way of padding."""
    of_type = getattr(type(value), "__array_function__", None)
    if of_type is not None and of_type is not _array_function:
        return value
    return np.asarray(value)


def widths(pad_width: Any) -> Any:
    """`pad_width` in Python's integers and lists, or None if numpy does not take it."""
    try:
        pad_width = np.asarray(pad_width)
    except ValueError:
        return None
    return pad_width.tolist() if pad_width.dtype.kind == "i" else None


def fills(values: Any, dtype: np.dtype[Any], rank: int) -> bytes | None:
    """The bytes of the one element that `values` are, or of one for each side; None if numpy does not take them."""
    values = np.array(values)
    if values.size != 1 or values.ndim > 2:
        try:
            values = np.broadcast_to(values, (rank, 2))
        except ValueError:
            return None
    element = np.zeros(values.size, dtype)
    for i, value in enumerate(values.ravel()):
        element[i : i + 1] = value
    size = dtype.itemsize
    all_bytes = element.tobytes()
    return all_bytes[:size] if all_bytes == all_bytes[:size] * element.size else all_bytes


def ends(values: Any, rank: int) -> tuple[list[tuple[float, float]], bool] | None:
    """Where ramps end on each axis, and whether numpy takes these numbers as Python's own; None if they are others."""
    values = np.array(values)
    if values.dtype.char not in "ld" or values.ndim > 2 or not (np.abs(values) <= 2**53).all():
        return None
    try:
        pairs = np.broadcast_to(values, (rank, 2)).tolist()
    except ValueError:
        return None
    arrays = values.size == 1 or (values.size == 2 and values.shape != (2, 1))
    return [(float(low), float(high)) for low, high in pairs], not arrays


def pad(array: Any, pad_width: Any, mode: Any, out: Any, interior: Any, frame: Any, **kwargs: Any) -> Any:
    """numpy's own pad."""
    if interior is not None or frame is not None:
        raise ValueError("interior and frame are for arrays of fixed-size elements, in modes that copy, with one constant")
    padded = _pad(array, pad_width, mode, **kwargs)
    if out is None:
        return padded
    if not isinstance(out, np.ndarray) or out.dtype != padded.dtype:
        raise TypeError(f"out is an array of dtype {padded.dtype}")
    if out.shape != padded.shape:
        raise ValueError(f"out has shape {list(out.shape)}, and the result {list(padded.shape)}")
    out[...] = padded
    return out
