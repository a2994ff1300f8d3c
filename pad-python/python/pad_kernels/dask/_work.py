"""Defines the functions that tasks call. A task gathers a box from chunks, and pads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pad_kernels._along import refuse_carried
from pad_kernels._pad_kernels import Plan, pad
from pad_kernels.dask._axis import Local, Range

Arguments: TypeAlias = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Padding:
    """The padding of boxes: a request without shape and widths, as plain data. Equal paddings share their plans."""

    dtype: np.dtype[Any]
    # One mode for all axes, or a tuple with one mode for each axis.
    mode: Any
    # For modes that copy, the bytes of the fill.
    fill: bytes | None = None
    # For all other requests, the arguments of `pad`. An array has the form that `frozen` returns. For modes that copy, None.
    arguments: Arguments | None = None

    def __call__(self, ranges: tuple[Range, ...], *chunks: Any) -> NDArray[Any]:
        """Return a box of the padded array."""
        gathered = gather(self.dtype, ranges, chunks)
        local = tuple(of_axis.local for of_axis in ranges)
        if not any(local):
            return gathered
        if self.arguments is None:
            plan = _plan(self.dtype, self.mode, self.fill, gathered.shape, local)
            return plan(gathered)
        widths = [(0, 0) if of_axis is None else of_axis[:2] for of_axis in local]
        padded: NDArray[Any] = pad(gathered, widths, self.mode, **_thawed(self.arguments))
        cut = tuple(slice(None) if of_axis is None else slice(*of_axis[2:]) for of_axis in local)
        return _kept(padded[cut])

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return ("pad_kernels", self.dtype.str, repr(self.dtype), self.mode, self.fill, self.arguments)


@dataclass(frozen=True)
class Applied:
    """A function that is applied to boxes with a halo. With `trim`, the halo is cut off the results."""

    padding: Padding
    function: Callable[..., Any]
    depth: tuple[tuple[int, int], ...]
    trim: bool
    arguments: Arguments

    def __call__(self, ranges: tuple[Range, ...], *chunks: Any, computed: Mapping[str, Any] | None = None) -> Any:
        box = self.padding(ranges, *chunks)
        found = self.function(box, **dict(self.arguments if computed is None else computed))
        inner = tuple(length - low - high for length, (low, high) in zip(box.shape, self.depth, strict=True))
        wanted = box.shape if self.trim else inner
        if np.shape(found) != wanted:
            raise ValueError(
                f"map_halo(trim={self.trim}): the function made {np.shape(found)} of a chunk of {inner} with its halo,"
                f" {box.shape}; it has to make {wanted}"
            )
        if not self.trim:
            return found
        return found[tuple(slice(low, low + length) for length, (low, _) in zip(inner, self.depth, strict=True))]


def frozen(values: Any) -> tuple[np.dtype[Any], tuple[int, ...], bytes]:
    """Return an array of numbers as data that can be hashed."""
    values = np.array(values)
    if values.dtype.hasobject:
        raise TypeError(f"values of dtype {values.dtype} are no numbers of numpy")
    return values.dtype, values.shape, values.tobytes()


def _thawed(arguments: Arguments) -> dict[str, Any]:
    def of(value: Any) -> Any:
        if not isinstance(value, tuple):
            return value
        dtype, shape, elements = value
        return np.frombuffer(elements, dtype).reshape(shape)

    return {name: of(value) for name, value in arguments}


def gather(dtype: np.dtype[Any], ranges: tuple[Range, ...], chunks: tuple[Any, ...]) -> NDArray[Any]:
    """Join the pieces of a box. The result is a copy, except that a single piece may be a view of its chunk."""
    for chunk in chunks:
        # The request checked only an example of a chunk. The chunks themselves may have another type.
        refuse_carried(chunk, "a chunk")
    pieces = [of_axis.pieces for of_axis in ranges]
    if len(chunks) == 1 and all(piece.length == _taken(piece) for (piece,) in pieces):
        (chunk,) = chunks
        return _kept(np.asarray(chunk)[tuple(slice(piece.start, piece.stop) for (piece,) in pieces)])
    # An axis of unknown length has one piece. Its length is that of the chunks.
    lengths = [
        [chunks[0].shape[axis] if piece.length is None else piece.length for piece in of_axis]
        for axis, of_axis in enumerate(pieces)
    ]
    gathered = np.empty([sum(of_axis) for of_axis in lengths], dtype)
    targets = [_slices(of_axis) for of_axis in lengths]
    sources = [[slice(piece.start, piece.stop) for piece in of_axis] for of_axis in pieces]
    for chunk, target, source in zip(chunks, product(*targets), product(*sources), strict=True):
        gathered[target] = chunk[source]
    return gathered


def _taken(piece: Any) -> int | None:
    return None if piece.length is None else piece.stop - piece.start


def _slices(lengths: list[int]) -> list[slice]:
    found, start = [], 0
    for length in lengths:
        found.append(slice(start, start + length))
        start += length
    return found


def _kept(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or a copy if the array would keep much more memory alive than its own."""
    base = array.base
    return array.copy() if isinstance(base, np.ndarray) and 2 * array.nbytes < base.nbytes else array


@lru_cache(maxsize=1024)
def _plan(dtype: np.dtype[Any], mode: Any, fill: bytes | None, shape: tuple[int, ...], local: tuple[Local, ...]) -> Plan:
    """Return the plan of a box. Boxes share a plan if they differ only in their position along axes without a border."""
    axes = [
        (length, 0, 0, 0, length) if of_axis is None else of_axis
        for length, of_axis in zip(shape, local, strict=True)
    ]
    values: dict[str, Any] = {} if fill is None else {"constant_values": np.frombuffer(fill, dtype)[0]}
    lengths, widths = [axis[0] for axis in axes], [axis[1:3] for axis in axes]
    return Plan(lengths, dtype, widths, mode, **values).window_from_regions([slice(*axis[3:]) for axis in axes])
