"""What tasks do: gather a box from chunks, and pad it. All of it is plain data but the chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pad_kernels import _numpy
from pad_kernels._pad_kernels import Plan, pad
from pad_kernels.dask._axis import Local, Range

Arguments: TypeAlias = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Padding:
    """How boxes are padded: a request without shape and widths. Equal ones are padded by the same plans."""

    dtype: np.dtype[Any]
    # One mode, or one for each axis.
    mode: Any
    # For plans, the bytes of the element that borders are made of.
    fill: bytes | None = None
    # For modes that compute, the arguments of `pad`; an array as `frozen` has it.
    arguments: Arguments | None = None

    def __call__(self, ranges: tuple[Range, ...], *chunks: Any) -> NDArray[Any]:
        """A box of the padded array."""
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
        return ("pad_kernels", self.dtype.str, self.dtype.descr, self.mode, self.fill, self.arguments)


@dataclass(frozen=True)
class Applied:
    """A function of boxes with a halo, which is cut off its results, or was used up by it."""

    padding: Padding
    function: Callable[..., Any]
    depth: tuple[tuple[int, int], ...]
    trim: bool
    arguments: Arguments

    def __call__(self, ranges: tuple[Range, ...], *chunks: Any) -> Any:
        box = self.padding(ranges, *chunks)
        found = self.function(box, **dict(self.arguments))
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
    """An array of numbers as data that can be hashed."""
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
    """The pieces of a box put together: a view where it is one piece, and otherwise one copy."""
    for chunk in chunks:
        # An array may hold other chunks than it says.
        _numpy.refuse_carried(chunk, "a chunk")
    pieces = [of_axis.pieces for of_axis in ranges]
    if len(chunks) == 1 and all(piece.length == _taken(piece) for (piece,) in pieces):
        (chunk,) = chunks
        return _kept(np.asarray(chunk)[tuple(slice(piece.start, piece.stop) for (piece,) in pieces)])
    # Where lengths are unknown an axis has one piece, which is as long as any of the chunks.
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
    """The array, copied where it would keep much more memory than its own."""
    base = array.base
    return array.copy() if isinstance(base, np.ndarray) and 2 * array.nbytes < base.nbytes else array


@lru_cache(maxsize=1024)
def _plan(dtype: np.dtype[Any], mode: Any, fill: bytes | None, shape: tuple[int, ...], local: tuple[Local, ...]) -> Plan:
    """The plan of a box: one for all boxes of which only places differ that have no border."""
    axes = [
        (length, 0, 0, 0, length) if of_axis is None else of_axis
        for length, of_axis in zip(shape, local, strict=True)
    ]
    values: dict[str, Any] = {} if fill is None else {"constant_values": np.frombuffer(fill, dtype)[0]}
    lengths, widths = [axis[0] for axis in axes], [axis[1:3] for axis in axes]
    return Plan(lengths, dtype, widths, mode, **values).window_from_regions([slice(*axis[3:]) for axis in axes])
