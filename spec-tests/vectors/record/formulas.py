"""The Pad operation in a few lines: one source index, or FILL, for every output position.

Per axis: d its length, lo and hi the signed pads, r the interior padding. In the
*uncropped* frame borders are mirrored about the whole (dilated) axis; in the *cropped*
frame negative pads are cut off first and borders come from what is left.
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
    """`shape`, `low`, `high`, `interior`: one number per axis. Raises Refused."""
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
