"""Finds the chunks that a range of a padded axis needs, and the padding that makes the range from them.

A range is an interval of one axis of the result. Position 0 is the first element of the padded axis, as in the boxes of a `Plan`.
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
    """Consecutive elements that one chunk contributes to a range."""

    # 0 or 1 for the statistic of the low or the high border. None for elements of the array.
    side: int | None
    # The index of the chunk along the axis.
    chunk: int
    # The slice of the chunk. None means the whole chunk, whose length may be unknown.
    start: int | None
    stop: int | None
    # The number of elements in the range. If it differs from the length of the slice, the only element of the slice is repeated.
    length: int | None


# The padding that makes the range from the joined pieces. None means no padding. In modes that copy, the five numbers are the
# length of the axis before padding, the widths of its borders, and the start and stop of the range. In other modes, the four
# numbers are the widths around the joined pieces, and the start and stop of the range in the padded pieces.
Local: TypeAlias = tuple[int, ...] | None


class Range(NamedTuple):
    """A range of the padded axis: the pieces to gather, and the padding to apply to them."""

    pieces: tuple[Piece, ...]
    local: Local


@dataclass(frozen=True)
class Axis:
    """An axis of the array: its chunks, and the numbers of elements to add before and after them."""

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
        """Cut the given intervals of the array at the bounds of chunks, and return the pieces."""
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
    """Return the chunks of the padded axis.

    A border joins the chunk beside it if both together are at most one and a half times as long as the longest chunk.
    Otherwise, the border becomes separate chunks, which are at most as long as the longest chunk.
    """
    chunks = list(axis.chunks)
    if axis.low == axis.high == 0:
        return axis.chunks
    longest = max(chunks)
    if longest == 0:
        return (axis.low + axis.high,)
    limit = longest + longest // 2
    first = axis.low + chunks[0] <= limit
    if first:
        chunks[0] += axis.low
    # A single chunk has the other border already.
    last = axis.high + chunks[-1] <= limit
    if last:
        chunks[-1] += axis.high
    before = [] if first else _even(axis.low, longest)
    after = [] if last else _even(axis.high, longest)
    return (*before, *chunks, *after)


def _even(length: int, longest: int) -> list[int]:
    count = ceil(length / longest)
    return [length // count + (i < length % count) for i in range(count)]


def whole_chunk(index: int) -> Range:
    """Return the range that is one chunk of an axis without padding. The length of the chunk may be unknown."""
    return Range((Piece(None, index, None, None, None),), None)


def copied(mode: AxisMode, axis: Axis, start: int, stop: int) -> Range:
    """Return a range in a mode that copies. A plan for the whole axis tells which intervals of the array the range reads."""
    parts = Plan(axis.length, np.uint8, [(axis.low, axis.high)], [mode]).input_regions([(start, stop)])
    intervals = [(part.start, part.stop) for part in parts.axes[0]]
    if len(intervals) == 2:
        # The range crosses the end of an axis that wraps, so it begins with the last elements of the axis.
        return Range(axis.pieces(intervals[::-1]), None)
    local = None if parts.is_slice else (axis.length, axis.low, axis.high, start, stop)
    return Range(axis.pieces(intervals), local)


def filled(axis: Axis, start: int, stop: int) -> Range:
    """Return a range whose borders do not depend on the array."""
    first, last = start - axis.low, stop - axis.low
    before = max(0, min(last, 0) - first)
    after = max(0, last - max(first, axis.length))
    pieces = axis.pieces([(max(first, 0), min(last, axis.length))])
    return Range(pieces, (before, after, 0, stop - start) if before or after else None)


def ramped(axis: Axis, start: int, stop: int) -> Range:
    """Return a range of linear ramps. A ramp begins at the outermost element of the array.

    The task computes the whole ramp, and cuts the range out of it.
    """
    first, last = start - axis.low, stop - axis.low
    if 0 <= first <= last <= axis.length:
        return Range(axis.pieces([(first, last)]), None)
    before, after = axis.low if first < 0 else 0, axis.high if last > axis.length else 0
    part = min(max(first, 0), axis.length - 1), max(min(last, axis.length), 1)
    skipped = first + before - part[0]
    return Range(axis.pieces([part]), (before, after, skipped, skipped + stop - start))


def odd(symmetric: bool, axis: Axis, start: int, stop: int) -> Range:
    """Return a range of odd reflections. They are computed from the outermost element of the array and the mirrored elements."""
    n = axis.length
    first, last = start - axis.low, stop - axis.low
    # The maximum length of a border with one reflection.
    reach = n if symmetric else n - 1
    if 0 <= first <= last <= n:
        return Range(axis.pieces([(first, last)]), None)
    if n == 1 or first < -reach or last > n + reach or (first < 0 and last > n):
        return Range(axis.pieces([(0, n)]), (axis.low, axis.high, start, stop))
    if first < 0:
        parts, before = _odd_low(symmetric, first, last)
        return Range(axis.pieces(parts), (before, 0, 0, stop - start))
    # The high end is the mirror image of the low end.
    parts, after = _odd_low(symmetric, n - last, n - first)
    total = sum(end - begin for begin, end in parts) + after
    mirrored = [(n - end, n - begin) for begin, end in reversed(parts)]
    return Range(axis.pieces(mirrored), (0, after, total - (stop - start), total))


def _odd_low(symmetric: bool, first: int, last: int) -> tuple[list[Interval], int]:
    """Return the parts of the array that a range at its low end needs, and the width of the border to add before the parts.

    The range begins with the first element of this border.
    """
    # The element at -k mirrors the element at k, or at k - 1 if `symmetric`. The parts have at least two elements, because a
    # border of an axis of one element repeats this element.
    offset = 0 if symmetric else 1
    if last > 0:
        return [(0, max(last, offset - first, 2))], -first
    begin, end = offset - last, offset - first
    if begin == offset:
        return [(0, max(end, 2))], end - offset
    # The border mirrors the elements at the first element of the array, so this element comes directly before them.
    return [(0, 1), (begin, end)], end - begin + 1 - offset


def described(shared: bool, axis: Axis, start: int, stop: int) -> Range:
    """Return a range whose borders are statistics. A statistic has one element along the axis.

    If `shared` is true, both borders have the same statistic.
    """
    first, last = start - axis.low, stop - axis.low
    pieces = axis.pieces([(max(first, 0), min(last, axis.length))])
    before, after = max(0, min(last, 0) - first), max(0, last - max(first, axis.length))
    low = (Piece(0, 0, 0, 1, before),) if before else ()
    high = (Piece(0 if shared else 1, 0, 0, 1, after),) if after else ()
    return Range((*low, *pieces, *high), None)

