"""One axis of a padded array in chunks: which chunks a range of it is made of, and how.

Positions are counted as in boxes of a `Plan`: 0 is the first element of the padded axis.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import ceil, isnan
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from pad_kernels._pad_kernels import Plan

if TYPE_CHECKING:
    from pad_kernels._pad_kernels import AxisMode

Interval: TypeAlias = tuple[int, int]


class Piece(NamedTuple):
    """A run of elements that one chunk contributes."""

    # The border that it was computed for: 0 (low) or 1 (high); None for the array's own elements.
    side: int | None
    # The index of the chunk along the axis.
    chunk: int
    # The slice of the chunk; all of it where they are None, as the length is unknown then.
    start: int | None
    stop: int | None
    # How many elements it becomes: as many as the slice has, or a repetition of its only one.
    length: int | None


# How pieces, put together, become the range: not at all (None), or as the four or five numbers say that the mode has.
Local: TypeAlias = tuple[int, ...] | None


class Range(NamedTuple):
    """A range of the padded axis: what it is gathered from, and the padding that remains to be done."""

    pieces: tuple[Piece, ...]
    local: Local


@dataclass(frozen=True)
class Axis:
    """An axis of the array: its chunks, and how many elements are added before and after them."""

    chunks: tuple[int, ...]
    low: int
    high: int

    @cached_property
    def unknown(self) -> bool:
        return any(isnan(chunk) for chunk in self.chunks)

    @cached_property
    def bounds(self) -> list[int]:
        return list(accumulate(self.chunks, initial=0))

    @property
    def length(self) -> int:
        return self.bounds[-1]

    def pieces(self, parts: list[Interval]) -> tuple[Piece, ...]:
        """The chunks that intervals of the array lie in."""
        bounds, found = self.bounds, []
        for start, stop in parts:
            chunk = bisect_right(bounds, start) - 1
            while start < stop:
                end = min(stop, bounds[chunk + 1])
                if start < end:
                    found.append(Piece(None, chunk, start - bounds[chunk], end - bounds[chunk], end - start))
                start, chunk = end, chunk + 1
        return tuple(found)


def joined_chunks(axis: Axis) -> tuple[int, ...]:
    """The chunks of the padded axis.

    A border joins the chunk beside it while both together are at most one and a half times the longest chunk. A longer
    one becomes chunks of its own, none longer than that chunk.
    """
    chunks = list(axis.chunks)
    if axis.low == axis.high == 0:
        return axis.chunks
    longest = max(chunks)
    if longest == 0:
        return (axis.low + axis.high,)
    limit = longest + longest // 2
    first, last = axis.low + chunks[0] <= limit, axis.high + chunks[-1] <= limit
    if first:
        chunks[0] += axis.low
    if last:
        chunks[-1] += axis.high
    before = [] if first else _even(axis.low, longest)
    after = [] if last else _even(axis.high, longest)
    return (*before, *chunks, *after)


def _even(length: int, longest: int) -> list[int]:
    count = ceil(length / longest)
    return [length // count + (i < length % count) for i in range(count)]


def whole_chunk(index: int) -> Range:
    """A chunk of an axis that is not padded, of a length that need not be known."""
    return Range((Piece(None, index, None, None, None),), None)


def copied(mode: AxisMode, axis: Axis, start: int, stop: int) -> Range:
    """A range of the modes that copy: the parts that it takes, and the box that a plan of the axis makes of them."""
    parts = Plan(axis.length, np.uint8, [(axis.low, axis.high)], [mode]).input_regions([(start, stop)])
    intervals = [(part.start, part.stop) for part in parts.axes[0]]
    if len(intervals) == 2:
        # Both ends of an axis that wraps, of which the last comes first in the range.
        return Range(axis.pieces(intervals[::-1]), None)
    local = None if parts.is_slice else (axis.length, axis.low, axis.high, start, stop)
    return Range(axis.pieces(intervals), local)


def filled(axis: Axis, start: int, stop: int) -> Range:
    """A range whose border needs nothing of the array: elements of the array between borders."""
    first, last = start - axis.low, stop - axis.low
    before = max(0, min(last, 0) - first)
    after = max(0, last - max(first, axis.length))
    pieces = axis.pieces([(max(first, 0), min(last, axis.length))])
    return Range(pieces, (before, after, 0, stop - start) if before or after else None)


def ramped(axis: Axis, start: int, stop: int) -> Range:
    """A range of linear ramps, each of which begins at the last element of its end of the array.

    A ramp is made whole, and the range cut out of it.
    """
    first, last = start - axis.low, stop - axis.low
    if 0 <= first <= last <= axis.length:
        return Range(axis.pieces([(first, last)]), None)
    before, after = axis.low if first < 0 else 0, axis.high if last > axis.length else 0
    part = min(max(first, 0), axis.length - 1), max(min(last, axis.length), 1)
    skipped = first + before - part[0]
    return Range(axis.pieces([part]), (before, after, skipped, skipped + stop - start))


def odd(symmetric: bool, axis: Axis, start: int, stop: int) -> Range:
    """A range of odd reflections, which take the end of the array and what is mirrored at it."""
    n = axis.length
    first, last = start - axis.low, stop - axis.low
    # How far one reflection goes.
    reach = n if symmetric else n - 1
    if 0 <= first <= last <= n:
        return Range(axis.pieces([(first, last)]), None)
    if n == 1 or first < -reach or last > n + reach or (first < 0 and last > n):
        return Range(axis.pieces([(0, n)]), (axis.low, axis.high, start, stop))
    if first < 0:
        parts, before = _odd_low(symmetric, first, last)
        return Range(axis.pieces(parts), (before, 0, 0, stop - start))
    # The other end is the same the other way round.
    parts, after = _odd_low(symmetric, n - last, n - first)
    total = sum(end - begin for begin, end in parts) + after
    mirrored = [(n - end, n - begin) for begin, end in reversed(parts)]
    return Range(axis.pieces(mirrored), (0, after, total - (stop - start), total))


def _odd_low(symmetric: bool, first: int, last: int) -> tuple[list[Interval], int]:
    """The parts of a range that begins below 0, and how many elements to put before them: the range comes first then."""
    # The element at -k mirrors the one at k, or at k - 1.
    offset = 0 if symmetric else 1
    if last > 0:
        return [(0, max(last, offset - first))], -first
    begin, end = offset - last, offset - first
    if begin == offset:
        return [(0, end)], end - offset
    # The first element, at which they are mirrored, stands right before them, as if nothing was between.
    return [(0, 1), (begin, end)], end - begin + 1 - offset


def described(shared: bool, axis: Axis, start: int, stop: int) -> Range:
    """A range whose borders are a statistic each, which has one element along the axis."""
    first, last = start - axis.low, stop - axis.low
    pieces = axis.pieces([(max(first, 0), min(last, axis.length))])
    before, after = max(0, min(last, 0) - first), max(0, last - max(first, axis.length))
    low = (Piece(0, 0, 0, 1, before),) if before else ()
    high = (Piece(0 if shared else 1, 0, 0, 1, after),) if after else ()
    return Range((*low, *pieces, *high), None)

