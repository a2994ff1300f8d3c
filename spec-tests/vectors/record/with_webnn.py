"""Records answers for WebNN's operation `pad` in webnn.jsonl.

The script calls no engine. It implements the steps of the Editor's Draft, with exact fractions for the casts.
"""

import itertools
import math
from fractions import Fraction

import numpy as np

from common import ERROR, SHORT, UNSIGNED_STYLES, Recorder, case, draw_pads, draw_shape, dtype_name, hex_bits, main, quota, seeded
from numbers_as import number_of

SOURCE = "WebNN Editor's Draft of 2026 (its steps)"
TAKEN = ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"]
FLOATS = {"float32": (np.float32, np.uint32, 128), "float16": (np.float16, np.uint16, 16)}


def to_float(x, dtype):
    """Does the step ConvertToFloat of the draft."""
    kind, word, power = FLOATS[dtype]
    bits = kind(0).itemsize * 8
    if isinstance(x, float) and math.isnan(x):
        return hex_bits(int(kind(np.nan).view(word)), bits)
    negative = math.copysign(1, x) < 0 if isinstance(x, float) else x < 0
    sign = 1 << (bits - 1) if negative else 0
    if isinstance(x, float) and math.isinf(x):
        size = None
    else:
        size = abs(Fraction(x))
        # Bit patterns of finite positive values are in the order of the values. A binary search finds the nearest value. The
        # value after the last one counts as 2^power.
        last = int(kind(np.finfo(kind).max).view(word))

        def value(pattern):
            return Fraction(float(word(pattern).view(kind))) if pattern <= last else Fraction(2) ** power

        low, high = 0, last + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if value(middle) <= size else (low, middle)
        if size >= value(high):
            low = high
        elif size - value(low) != value(high) - size:
            low = low if size - value(low) < value(high) - size else high
        else:
            low = low if low % 2 == 0 else high
        size = low if low <= last else None
    pattern = sign | (int(kind(np.inf).view(word)) if size is None else size)
    number = word(pattern).view(kind)
    return hex_bits(pattern, bits) if not np.isfinite(number) or number == 0 and negative else written(number)


def written(number):
    number = float(number)
    return int(number) if number.is_integer() else number


def to_int(x, dtype):
    """Does the step ConvertToInt of the draft, but treats uint32 as unsigned."""
    bits = int(dtype.lstrip("uint"))
    least, most = (0, 2**bits - 1) if dtype[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    if isinstance(x, float) and math.isnan(x):
        return 0
    return round(Fraction(min(max(x, least), most)))


def cast(value, dtype):
    x = value if isinstance(value, int) else number_of(value)
    return to_float(x, dtype) if dtype in FLOATS else to_int(x, dtype)


def run(one):
    dtype, mode, shape = dtype_name(one["dtype"]), one["mode"], one["shape"]
    begin, end = one["low"], one["high"]
    if dtype not in TAKEN or mode not in ("constant", "edge", "reflect") or not len(begin) == len(end) == len(shape):
        return dict(ERROR)
    if any(not 0 <= p < 2**32 for p in begin + end):
        return dict(ERROR)                        # pads have the type [EnforceRange] unsigned long
    for index, length in enumerate(shape):
        if mode == "reflect" and (begin[index] >= length or end[index] >= length):
            return dict(ERROR)
    out = [b + d + e for b, d, e in zip(begin, shape, end)]
    if any(not 0 < d < 2**31 for d in shape + out):
        return dict(ERROR)
    fill = cast(one.get("value", 0), dtype)
    data = []
    for place in itertools.product(*map(range, out)):
        index = 0
        for o, b, d in zip(place, begin, shape):
            at = o - b
            if mode == "edge":
                at = min(max(at, 0), d - 1)
            if mode == "reflect":
                at = abs(at)
                at = at if at < d else 2 * (d - 1) - at
            index = None if index is None or not 0 <= at < d else index * d + at
        data.append(fill if index is None else one["data"][index])
    return {"shape": out, "data": data}


def make(rng, i):
    dtype = TAKEN[i % len(TAKEN)]
    mode = ["constant", "edge", "reflect"][(i // 3) % 3]
    rank = rng.choice([0, 1, 1, 2, 2, 3, 4, 5])
    shape = draw_shape(rng, rank, 0.02)
    low, high, _ = draw_pads(rng, shape, SHORT + ["long"] if mode == "reflect" or rank > 2 else UNSIGNED_STYLES)
    value = rng.choice([7, -3, 2.5, 0.1, 1e10, -1e10]) if mode == "constant" and rng.random() < 0.7 else None
    return case("webnn", dtype, shape, low, high, mode, value=value)


def record():
    rec = Recorder("webnn", "webnn", SOURCE, run)

    def c(dtype, shape, low, high, mode="constant", **rest):
        return case("webnn", dtype, shape, low, high, mode, **rest)

    for mode in ["constant", "edge", "reflect"]:
        rec.add(f"doc-{mode}", c("float32", [2, 3], [1, 2], [1, 2], mode, data=[1, 2, 3, 4, 5, 6]))
        for rank in range(0, 7):
            rec.add(f"rank-{mode}-{rank}", c("float32", [2] * rank, [1] * min(rank, 1) + [0] * (rank - 1), [0] * rank, mode, plain=True))
        for d, lo, hi in [(1, 0, 0), (1, 1, 0), (2, 1, 1), (2, 2, 0), (2, 0, 2), (3, 2, 2), (3, 3, 0), (5, 0, 9)]:
            rec.add(f"limit-{mode}-{d}-{lo}-{hi}", c("int32", [d], [lo], [hi], mode, plain=True))
        for n, (lo, hi) in enumerate([(-1, 0), (0, -1), (-2, 3), (2**32, 0), (2**31 - 1, 0)]):
            rec.add(f"range-{mode}-{n}", c("float32", [3], [lo], [hi], mode))
        for n, (shape, low, high) in enumerate([([0], [0], [0]), ([0], [1], [0]), ([2, 0], [1, 0], [0, 0])]):
            rec.add(f"empty-{mode}-{n}", c("float32", shape, low, high, mode), ["EmptyAxis"])
        for dtype in TAKEN + ["float64", "bool", "int16", "bfloat16", "string", "uint4"]:
            rec.add(f"type-{dtype}-{mode}", c(dtype, [3], [1], [2], mode))
        rec.add(f"too-few-{mode}", c("float32", [2, 3], [1], [1], mode))
    rec.add("mode-symmetric", c("float32", [3], [1], [1], "symmetric"))
    for dtype in TAKEN:
        for n, value in enumerate([1, 0.5, 1.5, 2.5, -0.5, -1.5, -5, 127.5, 255.5, 300, -300, 1e10, -1e10, 2**53 + 1, 2**63 - 1, 2**64 - 1, -2**63, 1e19, 1e20, 1e300,
                                   {"bits": "0x7ff8000000000000"}, {"bits": "0x7ff0000000000000"}, {"bits": "0xfff0000000000000"}, {"bits": "0x8000000000000000"}]):
            rec.add(f"value-{dtype}-{n}", c(dtype, [1], [1], [0], value=value, data=[1]))
    for n, value in enumerate([65519.99, 65520.0, 65520.01, 1.00048828125, 1.0004882812509095, 2.0**-25, 2.0**-25 * 1.0001, 2.0**-24 * 1.5, 0.1, -1e-9]):
        rec.add(f"value-half-{n}", c("float16", [1], [1], [0], value=value, data=[1]))
    rng = seeded("webnn")
    for i, one in quota(rng, 100, 0.1, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record)
