"""Checks the arguments of a call. The result says how far each axis is padded, and how a task makes a box.

A box is the region of the padded array that one task makes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import dask.array as da
import numpy as np
from dask.array.core import unknown_chunk_message

from pad_kernels import _numpy
from pad_kernels._pad_kernels import Plan, modes, shown
from pad_kernels._sizes import each_axis
from pad_kernels.dask._axis import Axis, Piece, Range, copied, described, filled, odd, ramped
from pad_kernels.dask._work import Padding, frozen

STATISTICS = ("maximum", "mean", "median", "minimum")
# The arguments of each mode.
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
} | dict.fromkeys(STATISTICS, ("stat_length",))

OfAxis: TypeAlias = Callable[[Axis, int, int], Range]


@dataclass(frozen=True)
class Request:
    """A checked request to pad an array in chunks."""

    axes: tuple[Axis, ...]
    padding: Padding
    # For each axis, the function that makes its ranges.
    kinds: tuple[OfAxis, ...]
    # For statistics, the number of elements that each side of each axis reads.
    lengths: tuple[tuple[int, int], ...] | None = None

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return (self.axes, self.padding, self.lengths)

    def range(self, axis: int, start: int, stop: int) -> Range:
        """Return a range of an axis whose length is known."""
        found = self.kinds[axis](self.axes[axis], start, stop)
        if not found.pieces and any(each.unknown for each in self.axes):
            # The range reads no element, but a task needs a chunk if lengths of other axes are unknown.
            return found._replace(pieces=(Piece(None, 0, 0, 0, 0),))
        return found


def request(array: da.Array, pad_width: Any, mode: Any, kwargs: dict[str, Any], name: str = "pad_width") -> Request:
    """Check a call, and return its request. Errors about the widths use `name`, the name of their argument."""
    rank, dtype = array.ndim, array.dtype
    if callable(mode):
        raise NotImplementedError(f"mode {getattr(mode, '__name__', mode)!r}: functions as modes are not done chunk by chunk")
    mode = modes(mode, rank)
    fill = None
    if isinstance(mode, tuple):
        if any("constant" in of_axis for of_axis in mode):
            fill = _numpy.fills(kwargs.get("constant_values", 0), dtype, rank)
        if unsupported := {"interior", "frame"} & set(kwargs):
            raise ValueError(f"unsupported keyword arguments for mode {mode!r}: {unsupported}")
        # This call refuses arguments that none of the modes has.
        Plan((1,) * rank, dtype, 0, mode, **kwargs)
    elif not isinstance(mode, str) or mode not in _ARGUMENTS:
        raise ValueError(f"mode {mode!r} is not supported: the modes are {', '.join(_ARGUMENTS)}")
    elif unsupported := set(kwargs) - set(_ARGUMENTS[mode]):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")
    if type(array._meta) is not np.ndarray:
        raise TypeError(f"chunks of {type(array._meta).__name__} are not padded: they have to be arrays of numpy")
    if dtype.hasobject or not dtype.itemsize:
        raise TypeError(f"chunks of dtype {dtype} are not padded: elements have to be of a fixed size")
    widths = pairs(pad_width, rank, name)
    axes = tuple(Axis(chunks, low, high) for chunks, (low, high) in zip(array.chunks, widths, strict=True))
    for number, axis in enumerate(axes):
        if axis.low == axis.high == 0:
            continue
        if axis.unknown:
            raise ValueError(f"axis {number} is padded, and its chunk sizes are unknown: {axis.chunks}{unknown_chunk_message}")
        of_axis = mode[number] if isinstance(mode, tuple) else mode
        sides = (of_axis, of_axis) if isinstance(of_axis, str) else of_axis
        padded = {side for side, width in zip(sides, (axis.low, axis.high), strict=True) if width}
        if axis.length == 0 and not padded <= {"constant", "empty"}:
            raise ValueError(f"can't extend empty axis {number} using modes other than 'constant' or 'empty'")
    kind: OfAxis
    if isinstance(mode, tuple):
        return Request(axes, Padding(dtype, mode, fill=fill), tuple(partial(copied, of_axis) for of_axis in mode))
    match mode:
        case "constant":
            padding, kind = _constants(dtype, kwargs.get("constant_values", 0), rank)
        case "empty":
            padding, kind = Padding(dtype, mode, arguments=()), filled
        case "linear_ramp":
            padding = Padding(dtype, mode, arguments=(("end_values", frozen(kwargs.get("end_values", 0))),))
            kind = ramped
        case "reflect" | "symmetric" if kwargs.get("reflect_type", "even") == "odd":
            padding = Padding(dtype, mode, arguments=(("reflect_type", "odd"),))
            kind = partial(odd, mode == "symmetric")
        case "reflect" | "symmetric" if kwargs.get("reflect_type", "even") != "even":
            raise ValueError(f"reflect_type is 'even' or 'odd', not {kwargs['reflect_type']!r}")
        case "edge" | "reflect" | "symmetric" | "wrap":
            padding, kind = Padding(dtype, mode), partial(copied, mode)
        case _:
            lengths = _stat_lengths(axes, mode, kwargs.get("stat_length"))
            # If both sides read the whole axis, they share one statistic.
            shared = [low == high == axis.length for axis, (low, high) in zip(axes, lengths, strict=True)]
            kinds = tuple(partial(described, same) for same in shared)
            return Request(axes, Padding(dtype, mode), kinds, lengths)
    return Request(axes, padding, (kind,) * rank)


def pairs(pad_width: Any, rank: int, name: str) -> list[tuple[int, int]]:
    """Return the numbers of elements to add before and after each axis."""
    try:
        found = list(Plan((1,) * rank, np.uint8, pad_width).pad_width)
        if all(low >= 0 and high >= 0 for low, high in found):
            return found
    except ValueError:
        pass
    if isinstance(pad_width, Mapping):
        each_axis(name, pad_width, rank, 0)
    # numpy reports what is wrong. If there are no axes, numpy may accept the widths, and nothing is padded.
    try:
        _numpy.implementation(np.zeros((1,) * rank, np.uint8), pad_width, "empty")
    except (IndexError, TypeError, ValueError) as error:
        raise type(error)(f"{name} is {shown(pad_width)}: {str(error).replace('pad_width', name)}") from None
    return []


def _constants(dtype: np.dtype[Any], values: Any, rank: int) -> tuple[Padding, OfAxis]:
    elements = _numpy.fills(values, dtype, rank)
    if elements is None:
        wanted = f"give one value that dtype {dtype} holds, a pair of them, or a pair for each of {rank} axes"
        raise ValueError(f"constant_values is {shown(values)}: {wanted}")
    if len(elements) == dtype.itemsize:
        return Padding(dtype, "constant", fill=elements), partial(copied, "constant")
    sides = np.frombuffer(elements, dtype).reshape(rank, 2)
    return Padding(dtype, "constant", arguments=(("constant_values", frozen(sides)),)), filled


def _stat_lengths(axes: tuple[Axis, ...], mode: str, given: Any) -> tuple[tuple[int, int], ...]:
    """Return `stat_length` for each side as numpy reads it: rounded, and at most as long as the axis."""
    lengths = [axis.length if axis.low or axis.high else 0 for axis in axes]
    if given is None:
        return tuple((length, length) for length in lengths)
    sides = np.broadcast_to(np.round(np.array(given)).astype(np.intp), (len(axes), 2)).tolist()
    if any(side < 0 for pair in sides for side in pair):
        raise ValueError(f"index can't contain negative values: stat_length is {shown(given)}")
    for number, (axis, pair) in enumerate(zip(axes, sides, strict=True)):
        if (axis.low and not pair[0]) or (axis.high and not pair[1]):
            refusal = ValueError if mode in ("maximum", "minimum") else NotImplementedError
            raise refusal(f"axis {number}: stat_length of 0 yields no value for padding with mode '{mode}'")
    return tuple((min(low, length), min(high, length)) for (low, high), length in zip(sides, lengths, strict=True))
