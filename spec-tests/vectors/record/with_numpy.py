"""Records answers of numpy.pad in numpy.jsonl."""

import numpy as np

from common import (ERROR, SHORT, UNSIGNED_STYLES, Recorder, answer_of, case, data_of, decode_scalar,
                    draw_pads, draw_shape, dtype_name, main, paint_fill, quota, seeded)
from rules import numpy_widths

SOURCE = f"numpy {np.__version__}"
TYPES = ["float32", "int64", "uint8", "float64", "bool", "int8", "float16", "int32", "uint16", "complex64",
         "bfloat16", "int16", "uint64", "uint32", "complex128", "string", "float8e4m3fn", "float8e5m2",
         "float8e4m3fnuz", "float8e5m2fnuz", "float8e8m0", "float4e2m1", "int4", "uint4", "int2", "uint2"]


def run(one):
    array = data_of(one)
    if dtype_name(one["dtype"]) == "string":
        array = array.astype("U12" if not one.get("args", {}).get("itemsize") else "U1")
    options = {}
    if "value" in one:
        options["constant_values"] = decode_scalar(one["value"], one["dtype"])
    args = one.get("args", {})
    if "pad_width" in args:
        width = args["pad_width"]
        if isinstance(width, dict):
            width = {int(axis): tuple(p) if isinstance(p, list) else p for axis, p in width.items()}
    elif len(one["low"]) != len(one["high"]):
        raise ValueError("a numpy width has two sides")
    elif not one["low"]:
        width = 0                                 # at rank 0, numpy refuses an array of shape (0, 2)
    else:
        width = np.array(list(zip(one["low"], one["high"])), dtype=np.int64).reshape(-1, 2)
    try:
        with np.errstate(all="ignore"):
            return answer_of(np.pad(array, width, mode=one["mode"], **options))
    except (ValueError, TypeError, IndexError, np.exceptions.AxisError, MemoryError,
            AssertionError):
        return dict(ERROR)


def explain(one, ours, theirs):
    if dtype_name(one["dtype"]) == "string" and one.get("args", {}).get("itemsize"):
        return ["StringCut"]
    if dtype_name(one["dtype"]) == "float8e8m0" and "value" not in one:
        return ["DefaultOfE8M0"]
    return None


def make(rng, i):
    dtype = TYPES[i % len(TYPES)]
    mode = ["constant", "edge", "reflect", "symmetric", "wrap"][(i // 3) % 5]
    rank = rng.choice([1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8])
    shape = draw_shape(rng, rank)
    low, high, _ = draw_pads(rng, shape, UNSIGNED_STYLES if rank < 4 else SHORT)
    value = paint_fill(dtype, rng) if mode == "constant" and (rng.random() < 0.6 or dtype == "float8e8m0") else None
    return case("numpy", dtype, shape, low, high, mode, value=value)


def record():
    rec = Recorder("numpy", "numpy", SOURCE, run, explain)
    f = "float32"

    # Rank 0, and every form of pad_width.
    for n, width in enumerate([0, 3, [2], [1, 2], [[1, 2]], [], -1, [0, -1], [[-1, 0]]]):
        rec.add(f"rank-0-width-{n}", case("numpy", f, [], [], [], args={"pad_width": width}), ["RankZero"])
    for mode in ["edge", "wrap"]:
        rec.add(f"rank-0-{mode}", case("numpy", "int32", [], [], [], mode), ["RankZero"])
    forms = [1, [2], [1, 2], [[1, 2]], [[3]], [[1], [2]], [[0, 1], [2, 0]], {"1": 2}, {"-1": [1, 2]}, {"0": [2, 0], "-1": 1},
             {"1": [1, 1], "-1": [0, 2]}, {}]
    for n, width in enumerate(forms):
        low, high = numpy_widths(width, 2)
        for mode in ["constant", "edge", "reflect", "symmetric", "wrap"]:
            rec.add(f"width-{n}-{mode}", case("numpy", "int16", [2, 3], low, high, mode, args={"pad_width": width}))
    for n, width in enumerate([[], [1, 2, 3], [[1, 2], [3, 4], [5, 6]], [[1, 2, 3]], [[1, 2], [3]], -1, [[0, 0], [-1, 0]],
                               1.5, [[1, 1], [1.0, 1]], {"2": 1}, {"-3": 1}, {"0": -1}, {"0": [1, 2, 3]}]):
        rec.add(f"width-refused-{n}", case("numpy", "int16", [2, 3], [], [], args={"pad_width": width}))

    # Borders of many periods.
    for mode in ["edge", "reflect", "symmetric", "wrap"]:
        for d in [1, 2, 3, 4, 5]:
            for lo, hi in [(0, 17), (17, 0), (13, 11), (2 * d, 2 * d + 1), (d, d - 1)]:
                rec.add(f"periods-{mode}-{d}-{lo}-{hi}", case("numpy", "int64", [d], [lo], [hi], mode, plain=True))
    for mode, data, lo, hi in [("wrap", [1, 2], 1, 3), ("wrap", [0, 1, 2, 3], 5, 2), ("reflect", [1, 2, 3], 1, 8),
                               ("symmetric", [1, 2], 1, 8), ("reflect", [1, 2, 3], 3, 3), ("wrap", [1, 2, 3], 4, 4)]:
        rec.add(f"once-wrong-{mode}-{len(data)}-{lo}-{hi}", case("numpy", "int64", [len(data)], [lo], [hi], mode, data=data))

    # Empty axes.
    for mode in ["constant", "edge", "reflect", "symmetric", "wrap"]:
        for n, (shape, low, high) in enumerate([([0], [0], [0]), ([0], [1], [2]), ([0, 3], [0, 1], [0, 1]), ([0, 3], [1, 0], [0, 0]),
                                                ([3, 0], [0, 0], [2, 0]), ([2, 0, 2], [1, 0, 0], [0, 0, 1]), ([0, 0], [0, 1], [1, 0])]):
            rec.add(f"empty-{mode}-{n}", case("numpy", f, shape, low, high, mode), ["EmptyAxis"])

    # Calls that numpy refuses.
    for n, (low, high, mode) in enumerate([([-1], [0], "constant"), ([0], [-1], "edge"), ([2], [-2], "reflect"), ([-2], [3], "wrap"),
                                           ([-7], [8], "symmetric")]):
        rec.add(f"negative-{n}", case("numpy", f, [6], low, high, mode), ["NegativeRefused"])
    for mode in ["edge", "reflect", "symmetric", "wrap"]:
        rec.add(f"value-with-{mode}", case("numpy", f, [3], [1], [1], mode, value=1))
    rec.add("mode-unknown", case("numpy", f, [3], [1], [1], "circular"))
    rec.add("too-few-rows", case("numpy", f, [3, 2, 2], [1, 1], [1, 1]))
    rec.add("too-many-rows", case("numpy", f, [3], [1, 1], [1, 1]))
    rec.add("one-row-is-broadcast", case("numpy", f, [3, 2], [1, 1], [2, 2], args={"pad_width": [[1, 2]]}))
    rec.add("too-large", case("numpy", "int64", [2], [2**62], [0]))

    # Fills and defaults.
    for dtype in TYPES:
        if dtype != "float8e8m0":
            rec.add(f"default-{dtype}", case("numpy", dtype, [2, 2], [1, 0], [0, 1]))
        rec.add(f"type-wrap-{dtype}", case("numpy", dtype, [3], [4], [2], "wrap"))
    rec.add("default-float8e8m0", case("numpy", "float8e8m0", [2], [1], [1]))
    fills = [("float32", {"bits": "0x80000000"}), ("float64", {"bits": "0x8000000000000000"}), ("float16", {"bits": "0x8000"}),
             ("bfloat16", {"bits": "0x8000"}), ("float32", {"bits": "0x7fc01234"}), ("float32", {"bits": "0x7fa00001"}),
             ("float64", {"bits": "0x7ff0000000000001"}), ("float64", 0.1), ("int64", 2**24 + 1), ("int64", 2**53 + 1),
             ("uint64", 2**64 - 1), ("float64", {"bits": "0xfff0000000000000"}), ("complex128", [0.1, {"bits": "0x8000000000000000"}])]
    for n, (dtype, value) in enumerate(fills):
        rec.add(f"fill-{n}-{dtype}", case("numpy", dtype, [3], [1], [2], value=value))
    rec.add("string-cut", case("numpy", "string", [2], [1], [1], data=["a", "b"], value="long", args={"itemsize": 4}))

    # Short names of types.
    for alias in ["f32", "i64", "f16", "u8", "bf16", "f64", "i32"]:
        rec.add(f"alias-{alias}", case("numpy", alias, [3], [2], [1], "reflect"))

    rng = seeded("numpy")
    for i, one in quota(rng, 240, 0.08, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record)
