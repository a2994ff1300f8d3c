"""Pads by formulas, which give the source index of each output position on each axis. The index FILL stands for the fill.

An axis has length d, pads lo and hi, and interior padding r. Negative pads crop. In the *uncropped* frame, borders read the whole
axis with its interior padding. In the *cropped* frame, crops come first, and borders read the remaining elements.
"""

import itertools
import math

FILL = None
LIMIT = 2**63 - 1


class Refused(Exception):
    pass


def out_size(d, lo, hi, r):
    spread = 0 if d == 0 else (d - 1) * (r + 1) + 1
    return spread + lo + hi


def axis_map(d, lo, hi, r, mode, frame):
    """Returns the source index or FILL for each output position of an axis."""
    spread = 0 if d == 0 else (d - 1) * (r + 1) + 1
    out = spread + lo + hi
    if out < 0:
        raise Refused("negative size")
    first, end = 0, spread
    if frame == "cropped":
        first = min(spread, max(0, -lo))
        end = max(first, spread - max(0, -hi))
    w = end - first
    if w == 0 and mode != "constant" and out > 0:
        raise Refused("nothing to take a border from")
    places = []
    for o in range(out):
        t = o - lo - first
        if not 0 <= t < w:
            t = border(t, w, mode)
        if t is FILL:
            places.append(FILL)
            continue
        source, gap = divmod(first + t, r + 1)
        places.append(FILL if gap else source)
    return places


def border(t, w, mode):
    """Returns the index that a border reads for the index t, which is outside of `0 <= t < w`."""
    if mode == "constant":
        return FILL
    if mode == "edge":
        return 0 if t < 0 else w - 1
    if mode == "wrap":
        return t % w
    if mode == "symmetric":
        m = t % (2 * w)
        return m if m < w else 2 * w - 1 - m
    if mode == "reflect":
        if w == 1:
            return 0
        m = t % (2 * (w - 1))
        return m if m < w else 2 * (w - 1) - m
    raise Refused(f"mode {mode}")


def pad(shape, data, low, high, interior, mode, fill, frame, element_bits=8):
    """Returns the answer of a call. `shape`, `low`, `high` and `interior` have one number per axis. Errors raise Refused."""
    sizes = [out_size(*axis) for axis in zip(shape, low, high, interior)]
    if any(size < 0 for size in sizes):
        raise Refused("negative size")
    if any(size > LIMIT for size in sizes) or math.prod(sizes) * element_bits > 8 * LIMIT:
        raise Refused("too large")
    maps = [axis_map(*axis, mode, frame) for axis in zip(shape, low, high, interior)]
    strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
    out = []
    for place in itertools.product(*maps):
        if any(source is FILL for source in place):
            out.append(fill[place[-1]] if isinstance(fill, tuple) else fill)
        else:
            out.append(data[sum(source * stride for source, stride in zip(place, strides))])
    return {"shape": sizes, "data": out}
