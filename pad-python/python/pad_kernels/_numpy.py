"""Passes calls to numpy, and converts arguments by the rules of numpy."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from pad_kernels._along import Along, refuse_carried
from pad_kernels._pad_kernels import shown

# The dispatcher is numpy's own pad. If the type of the array has its own padding, the dispatcher calls it. Programs may replace
# `numpy.pad`, but they hardly replace this object in a private module of numpy.
_module = "numpy.lib.arraypad" if np.__version__.startswith("1.") else "numpy.lib._arraypad_impl"
dispatcher: Any = import_module(_module).pad
# The dispatcher passes all other arrays to this function.
public_implementation: FunctionType = getattr(dispatcher, "_implementation", dispatcher)
# While a patch by `pad_kernels.patch_numpy` is active, `public_implementation` has other code. Its globals then hold numpy's code
# under this name.
PATCH = "_pad_kernels_patch"
# A copy of `public_implementation` that always has numpy's code.
implementation: Any = FunctionType(
    getattr(public_implementation.__globals__.get(PATCH), "code", public_implementation.__code__),
    public_implementation.__globals__,
    public_implementation.__name__,
    public_implementation.__defaults__,
)
# The modes whose borders are elements of the array, or one constant.
COPYING = ("constant", "edge", "reflect", "symmetric", "wrap")
_array_function = np.ndarray.__array_function__


def own_padding(value: Any) -> bool:
    """Tell whether the type of `value` has its own padding, in `__array_function__`."""
    return getattr(type(value), "__array_function__", _array_function) is not _array_function


def _of_own_type(value: Any) -> str:
    return f"a {type(value).__module__}.{type(value).__qualname__} is padded by its own type"


def as_array(value: Any) -> Any:
    """Return `value` as an array, or unchanged if its type has its own padding."""
    return value if own_padding(value) else np.asarray(value)


def converted(value: Any, dtype: Any, name: str = "the array") -> Any:
    """Return `value` as an array of this dtype. The conversion must be one that numpy calls "same_kind"."""
    if own_padding(value):
        raise TypeError(f"dtype is for numpy arrays, and {_of_own_type(value)}: convert it first")
    array, wanted = np.asarray(value), known_dtype(dtype, "dtype")
    # A list has no dtype of its own, and numpy checks each integer that it converts.
    is_list = not hasattr(value, "dtype")
    if not np.can_cast(array.dtype, wanted, "same_kind") and not (is_list and array.dtype.kind == "i" and wanted.kind == "u"):
        raise TypeError(f"dtype is {wanted}, and {name} has {array.dtype}, which may lose numbers: convert it by astype first")
    return np.asarray(value, wanted) if is_list and array.dtype != wanted else array.astype(wanted, copy=False)


def known_dtype(dtype: Any, name: str) -> np.dtype[Any]:
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{name} is {shown(dtype)}, which is no dtype of numpy") from None
    if found.subdtype is not None:
        raise TypeError(f"{name} is {found}, whose elements are arrays: give {found.base}, and the arrays more axes")
    return found


def not_an_array(name: str, value: Any) -> TypeError:
    """Return the error for an argument that is written to and is no plain array."""
    return TypeError(
        f"{name} is a {type(value).__name__}: give a numpy.ndarray, and no subclass; np.asarray of a subclass shares its memory"
    )


def plain_array(value: Any, name: str) -> Any:
    """Return `value` as an array of numbers. Raise an error if a mask or a unit would be lost."""
    if type(value) is np.ndarray:
        return value
    refuse_carried(value, name)
    # An array of xarray contains another array, as `data`.
    inner: Any = None if isinstance(value, np.ndarray) else getattr(value, "data", None)
    inner = inner if hasattr(inner, "dtype") and type(inner) is not type(value) else value
    if hasattr(inner, "__dask_graph__"):
        value = inner = inner.compute()
    refuse_carried(inner, name)
    try:
        return np.asarray(value)
    except (RuntimeError, TypeError, ValueError) as error:
        error.args = (f"{name} is a {type(value).__name__}: {error}",)
        raise


def plain_or_own(value: Any) -> Any:
    """Return `value` as `plain_array` does, or unchanged if its type has its own padding."""
    return value if own_padding(value) else plain_array(value, "the array")


def widths(pad_width: Any) -> Any:
    """Return `pad_width` as a Python integer or as lists of them, or None if numpy refuses it."""
    try:
        pad_width = np.asarray(pad_width)
    except ValueError:
        return None
    return pad_width.tolist() if pad_width.dtype.kind == "i" else None


def negative(pad_width: Any) -> bool:
    """Tell whether `pad_width` contains a negative width."""
    each = map(widths, pad_width.values() if isinstance(pad_width, dict) else [pad_width])
    return any(np.min(found, initial=0) < 0 for found in each if found is not None)


def fills(values: Any, dtype: np.dtype[Any], rank: int) -> bytes | None:
    """Return the bytes of the fill: one element if all sides are equal, and otherwise one element for each side.

    If numpy refuses `values`, return None.
    """
    if isinstance(values, Along):
        raise TypeError(f"constant_values is {shown(values)}, which is for numpy arrays, and not for pad_batch, torch or dask")
    each: Any
    try:
        values = np.array(values)
        if values.ndim < 3 and (values.size == 1 or (values.size == 2 and values.shape != (2, 1))):
            each = values.ravel()
            each = each if values.size == 1 else [*each] * rank
        else:
            # For such shapes, numpy.pad casts Python numbers, which have other rules than numpy's scalars.
            each = [side for pair in np.broadcast_to(values, (rank, 2)).tolist() for side in pair]
        element = np.zeros(len(each), dtype)
        for i, value in enumerate(each):
            element[i : i + 1] = value
    except (OverflowError, TypeError, ValueError):
        return None
    size = dtype.itemsize
    all_bytes = element.tobytes()
    return all_bytes[:size] if all_bytes == all_bytes[:size] * len(each) else all_bytes


def ends(values: Any, rank: int) -> tuple[list[tuple[float, float]], bool] | None:
    """Return the end values of the ramps on each axis, and whether numpy.pad treats them as Python numbers.

    Return None for values that only numpy can compute with.
    """
    try:
        values = np.array(values)
        if values.dtype.char not in "ld" or values.ndim > 2 or not (np.abs(values) <= 2**53).all():
            return None
        pairs = np.broadcast_to(values, (rank, 2)).tolist()
    except ValueError:
        return None
    arrays = values.size == 1 or (values.size == 2 and values.shape != (2, 1))
    return [(float(low), float(high)) for low, high in pairs], not arrays


def pad(array: Any, pad_width: Any, mode: Any, out: Any, threads: Any, beyond: str | None, /, **kwargs: Any) -> Any:
    """Call numpy's own pad, or the pad of the array's type.

    `beyond` names an argument that numpy lacks, or is None. numpy ignores `threads`.
    """
    if own_padding(array):
        for name, given in (("out", out), ("threads", threads)):
            if given is not None:
                raise TypeError(f"{name} is for numpy arrays, and {_of_own_type(array)}: leave {name} away")
        if beyond is not None:
            raise TypeError(f"{beyond} is for numpy arrays, and {_of_own_type(array)}: convert it first")
        # Other types may compute wrong numbers from negative widths. Reading a `pad_width` of such a type could compute it.
        if not own_padding(pad_width) and negative(pad_width):
            advice = "give widths from 0 on, and crop by a slice"
            raise ValueError(f"{_NEGATIVE}: pad_width is {shown(pad_width)}, and {_of_own_type(array)}; {advice}")
        return dispatcher(array, pad_width, mode, **kwargs)
    if beyond is not None:
        raise TypeError(f"{beyond} is for modes by their names: numpy itself runs or refuses mode {shown(mode)}")
    try:
        padded = implementation(array, pad_width, mode, **kwargs)
    except ValueError as error:
        if str(error) != _NEGATIVE or not negative(pad_width):
            raise
        # numpy never allows negative widths. pad_kernels allows them in other calls, so the message adds why this call cannot.
        raise ValueError(f"{error}: pad_width is {shown(pad_width)}, and {_reason(np.asarray(array), mode)}") from None
    if out is None:
        return padded
    if type(out) is not np.ndarray:
        raise not_an_array("out", out)
    if out.dtype != padded.dtype:
        raise TypeError(f"out has dtype {out.dtype}, and the result {padded.dtype}")
    if out.shape != padded.shape:
        raise ValueError(f"out has shape {list(out.shape)}, and the result {list(padded.shape)}")
    out[...] = padded
    return out


_NEGATIVE = "index can't contain negative values"


def _reason(array: Any, mode: Any) -> str:
    """Return the reason why a negative width is refused."""
    if callable(mode):
        return "mode is a function; crop the array by a slice"
    if array.ndim == 0:
        return "the array has no axes, so that nothing can be cropped"
    if array.dtype.hasobject:
        return f"numpy itself pads arrays of dtype {array.dtype}; crop the array by a slice"
    return f"numpy itself runs or refuses mode {mode!r} with these arguments; give widths from 0 on"
