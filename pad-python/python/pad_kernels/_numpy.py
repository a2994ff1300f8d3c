"""Calls that numpy runs, and conversions that only numpy knows."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

# numpy's functions are kept at import, because a program may replace `numpy.pad` later.
# The dispatcher asks the array's type for a padding of its own.
_dispatcher: Any = np.pad
# Plain arrays go to this function.
public_implementation: FunctionType = getattr(_dispatcher, "_implementation", _dispatcher)
# Its copy, which keeps numpy's code while `pad_kernels.patch_numpy` has exchanged that of the function itself.
implementation: Any = FunctionType(
    public_implementation.__code__,
    public_implementation.__globals__,
    public_implementation.__name__,
    public_implementation.__defaults__,
)
# Modes whose borders are elements of the array or one constant.
COPYING = ("constant", "edge", "reflect", "symmetric", "wrap")
_array_function = np.ndarray.__array_function__


def own_padding(value: Any) -> bool:
    """Whether the type of `value` has its own way of padding."""
    return getattr(type(value), "__array_function__", _array_function) is not _array_function


def as_array(value: Any) -> Any:
    """`value` as an array, or as it is if its type has its own way of padding."""
    return value if own_padding(value) else np.asarray(value)


def plain_array(value: Any, name: str) -> Any:
    """`value` as an array of numbers. A mask or a unit would be lost on the way, so such arrays are refused."""
    for attribute in ("mask", "unit", "units"):
        # pandas has methods of these names, and the units of its dates are in their dtype.
        carried = getattr(type(value), attribute, None)
        if carried is not None and not callable(carried) and getattr(value.dtype, "kind", "") not in "mM":
            raise TypeError(
                f"{name} is a {type(value).__name__}, whose {attribute} would be lost: give its numbers as a numpy array"
            )
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


def pad(array: Any, pad_width: Any, mode: Any, out: Any, **kwargs: Any) -> Any:
    """numpy's own pad, or that of the array's type."""
    if own_padding(array):
        if out is not None:
            raise TypeError(f"out takes plain numbers, and a {type(array).__name__} is padded by its own type: leave out away")
        return _dispatcher(array, pad_width, mode, **kwargs)
    _refuse_negative(np.asarray(array), pad_width, mode)
    padded = implementation(array, pad_width, mode, **kwargs)
    if out is None:
        return padded
    if not isinstance(out, np.ndarray) or out.dtype != padded.dtype:
        raise TypeError(f"out is an array of dtype {padded.dtype}")
    if out.shape != padded.shape:
        raise ValueError(f"out has shape {list(out.shape)}, and the result {list(padded.shape)}")
    out[...] = padded
    return out


def _refuse_negative(array: Any, pad_width: Any, mode: Any) -> None:
    """Refuse negative widths where numpy pads. Its own error does not say that other calls take them."""
    found = widths(list(pad_width.values()) if isinstance(pad_width, dict) else pad_width)
    if found is not None and np.min(found, initial=0) < 0:
        reason = "mode is a function" if callable(mode) else f"numpy itself pads arrays of dtype {array.dtype} in mode {mode!r}"
        raise ValueError(f"pad_width {pad_width} is negative, and {reason}: crop the array by a slice before")
