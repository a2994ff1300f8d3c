"""Records answers by nGraph's documented arithmetic in ngraph.jsonl.

The script does not call nGraph, whose releases are too old to build. Its function `run` computes each output element by the loops
of nGraph's documents and reference code. It shares no code with `formulas.py`. There is no answer if the reference code would
loop forever or read outside the data.
"""

import itertools
import math

from common import (ERROR, SHORT, SIGNED, UNSIGNED_STYLES, Recorder, case, draw_pads, draw_shape, main, paint_fill, quota,
                    seeded)

SOURCE = "ngraph (documented arithmetic)"
TYPES = ["float32", "int64", "uint8", "float64", "bool", "int8", "float16", "int32", "uint16", "bfloat16", "int16", "uint64", "uint32"]
MODES = ["constant", "edge", "reflect", "symmetric"]


def source_index(o, d, below, above, inner, mode):
    """Returns the source index of output position o of an axis. -1 is the fill. None is an index outside the data."""
    s = o - below
    if mode == "constant":
        if s < 0 or d == 0 or s > (d - 1) * (inner + 1) or s % (inner + 1):
            return -1
        return s // (inner + 1)
    if mode == "edge":
        s = max(s, 0) if s < d else d - 1
    elif mode == "reflect":
        for _ in range(10000):
            if s < 0:
                s = -s
            elif s >= d:
                s = 2 * (d - 1) - s
            else:
                break
    elif mode == "symmetric":
        s = -s - 1 if s < 0 else s if s < d else d + above - s
    return s if 0 <= s < d else None


def run(one):
    shape, low, high, mode, version = one["shape"], one["low"], one["high"], one["mode"], one["version"]
    inner = one.get("interior", [0] * len(low))
    if not len(shape) == len(low) == len(high) == len(inner) or mode not in MODES:
        return dict(ERROR)
    if "value" not in one and version != "v1":
        return dict(ERROR)
    if version == "v0-interior" and (mode != "constant" or min(low + high + inner, default=0) < 0):
        return dict(ERROR)
    if version == "v1" and any(inner):
        return dict(ERROR)
    out = [b + (d - 1) * (r + 1) + 1 + a if d else b + a for d, b, a, r in zip(shape, low, high, inner)]
    if min(out, default=0) < 0:
        return dict(ERROR) if version == "v0" else None     # v1 casts it to a huge unsigned size
    for d in shape[2:]:
        if mode == "edge" and d < 1 or mode == "reflect" and d < 2:
            return dict(ERROR)
    data = []
    for place in itertools.product(*map(range, out)):
        sources = [source_index(*axis, mode) for axis in zip(place, shape, low, high, inner)]
        if None in sources:
            return None
        if -1 in sources:
            data.append(one.get("value", 0))
        else:
            data.append(one["data"][sum(s * math.prod(shape[i + 1:]) for i, s in enumerate(sources))])
    return {"shape": out, "data": data}


def explain(one, ours, theirs):
    return ["SymmetricAbove"] if one["mode"] == "symmetric" else None


def record():
    rec = Recorder("ngraph", "ngraph", SOURCE, run, explain)

    def add(name, one, flags=()):
        flags = list(flags)
        if run(one) is None:
            if one["mode"] == "symmetric":
                flags.append("SymmetricAbove")
            elif min((d + b + a for d, b, a in zip(one["shape"], one["low"], one["high"])), default=0) < 0:
                flags.append("NegativeShape")
            else:
                flags.append("UncheckedAxis")
        rec.add(name, one, flags)

    def c(version, dtype, shape, low, high, mode="constant", interior=None, value=9, **rest):
        return case("ngraph", dtype, shape, low, high, mode, version=version, interior=interior, value=value, **rest)

    six = [1, 2, 3, 4, 5, 6]
    # The version `v0-interior` has unsigned widths and interior padding.
    rec.add("doc-interior", c("v0-interior", "int32", [3, 3], [1, 2], [1, 0], interior=[1, 2], value=42, data=range(1, 10)))
    rec.add("doc-interior-v0", c("v0", "int32", [3, 3], [1, 2], [1, 0], interior=[1, 2], value=42, data=range(1, 10)))
    for n, (shape, low, high, inner) in enumerate([([0], [1], [2], [3]), ([1], [0], [0], [4]), ([2], [0], [0], [4]), ([6], [4], [5], [0]), ([6], [4], [5], [2]),
                                                   ([0, 0], [2, 1], [3, 1], [1, 1]), ([0, 3], [1, 1], [1, 1], [0, 1]), ([3, 0], [1, 1], [0, 2], [2, 2]),
                                                   ([1, 2, 2], [0, 1, 0], [1, 0, 2], [3, 2, 1]), ([], [], [], []), ([2, 1, 3], [0, 0, 0], [0, 0, 0], [0, 5, 1])]):
        rec.add(f"interior-{n}", c("v0-interior", "float32", shape, low, high, interior=inner), ["RankZero"] if not shape else [])
    for n, (low, high, inner, mode, value) in enumerate([([-1], [0], [0], "constant", 9), ([0], [-1], [0], "constant", 9), ([0], [0], [-1], "constant", 9),
                                                         ([0, 1], [0], [0], "constant", 9), ([0], [0, 1], [0], "constant", 9), ([0], [0], [0, 0], "constant", 9),
                                                         ([1], [1], [0], "edge", 9), ([1], [1], [0], "reflect", 9), ([1], [1], [0], "constant", None)]):
        rec.add(f"interior-refused-{n}", c("v0-interior", "float32", [3], low, high, mode, inner, value))

    # The version `v0` has signed widths and modes. In `v1`, the widths are tensors.
    for version in ["v0", "v1"]:
        for mode in MODES:
            for lo, hi in [(4, 5), (4, -2), (-2, 4), (4, -7), (-7, 3), (-6, 3), (-3, -3), (-3, -4), (-2, 5), (5, -2), (0, 5), (5, 0), (2, 5), (1, 1)]:
                add(f"{version}-{mode}-{lo}-{hi}", c(version, "float32", [6], [lo], [hi], mode, data=six))
            add(f"{version}-{mode}-2d", c(version, "int32", [3, 4], [2, 1], [2, 3], mode, plain=True))
            add(f"{version}-{mode}-2d-negative", c(version, "int32", [3, 4], [2, -1], [-1, 3], mode, plain=True))
            add(f"{version}-{mode}-4d", c(version, "int32", [1, 2, 2, 3], [0, 0, 1, 2], [0, 0, 1, 2], mode, plain=True))
            for n, (shape, low, high) in enumerate([([0], [1], [1]), ([1], [1], [1]), ([0], [0], [0]), ([1], [0], [0]), ([1, 1, 0], [0, 0, 1], [0, 0, 0]),
                                                    ([1, 1, 1], [0, 0, 1], [0, 0, 1]), ([0, 0], [1, 0], [2, 1]), ([0, 3], [0, 1], [0, 1]), ([3, 0], [1, 0], [1, 0]),
                                                    ([], [], []), ([2, 2, 2, 2, 2], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]),
                                                    ([1, 1, 1, 2], [0, 0, 0, 1], [0, 0, 0, 1]), ([1, 1, 0, 2], [0, 0, 0, 0], [0, 0, 0, -1])]):
                add(f"{version}-{mode}-shape-{n}", c(version, "float32", shape, low, high, mode), ["RankZero"] if not shape else ["EmptyAxis"] if 0 in shape else [])
        for n, (low, high, mode) in enumerate([([1, 1], [1], "constant"), ([1], [1, 1], "edge"), ([], [], "constant"), ([1], [1], "wrap")]):
            add(f"{version}-refused-{n}", c(version, "float32", [3], low, high, mode))
        add(f"{version}-no-value", c(version, "float32", [3], [1], [1], value=None))
    for data, mode, lo, hi in [([1, 2, 3], "symmetric", 0, 1), ([1, 2, 3, 4, 5], "symmetric", 1, 2), ([1, 2, 3], "symmetric", 2, 2), ([1, 2, 3], "symmetric", 0, 3),
                               ([1, 2, 3], "reflect", 9, 10), ([1, 2], "reflect", 6, 6), ([1, 2, 3], "symmetric", 3, 7)]:
        add(f"long-{mode}-{len(data)}-{lo}-{hi}", c("v0", "int32", [len(data)], [lo], [hi], mode, data=data))
    for lo, hi, r in [(-3, 2, 2), (-1, -1, 1), (2, -5, 1), (-20, 30, 1), (-16, 0, 2), (-17, 4, 2)]:
        add(f"v0-signed-interior-{lo}-{hi}-{r}", c("v0", "int32", [6], [lo], [hi], interior=[r], data=six))
    add("v1-interior", c("v1", "int32", [6], [0], [0], interior=[1], data=six))

    rng = seeded("ngraph")

    def make(rng, i):
        version = ["v0-interior", "v0", "v1", "v0"][i % 4]
        dtype = TYPES[i % len(TYPES)]
        mode = "constant" if i % 4 == 0 else MODES[(i // 4) % 4]
        rank = rng.choice([1, 1, 2, 2, 3, 4, 5, 6])
        shape = draw_shape(rng, rank)
        styles = UNSIGNED_STYLES if version == "v0-interior" else SIGNED
        low, high, inner = draw_pads(rng, shape, styles if rank < 4 else SHORT, interior=version == "v0-interior")
        if mode == "symmetric":                   # the reference code handles only d - 1 and 0
            high = [rng.choice([d - 1, 0, hi]) if d else 0 for d, hi in zip(shape, high)]
        one = c(version, dtype, shape, low, high, mode, inner if version == "v0-interior" else None, paint_fill(dtype, rng))
        sizes = [max(0, d + a + b) for d, a, b in zip(shape, low, high)]
        return one if version == "v0-interior" or math.prod(sizes) <= 80 else None

    for i, one in quota(rng, 150, 0.08, make):
        add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record)
