"""Records answers for TensorRT's slice layer in tensorrt.jsonl.

The script calls no engine. It implements the formulas of the operator's page, and the rules that the header NvInfer.h adds.
"""

import itertools

from common import ERROR, SIGNED, Recorder, case, draw_pads, draw_shape, dtype_name, main, paint_fill, quota, seeded

SOURCE = "TensorRT 10.10, the page of the operator Slice and NvInfer.h (their text)"
TAKEN = ["float32", "float16", "int32", "int8", "bool", "int4", "float8e4m3fn"]
WIDE = ["int64", "bfloat16"]
WORDS = {"constant": "FILL", "edge": "CLAMP", "reflect": "REFLECT", "wrap": "WRAP"}


def coordinate(x, d, mode):
    """Returns the source index for position x of an axis, or None for the fill. An empty axis is allowed only with FILL."""
    if mode == "WRAP":
        return x % d
    if mode == "CLAMP":
        return 0 if x < 0 else d - 1 if x >= d else x
    if mode == "REFLECT":
        if d == 1:
            return 0                              # the page: "repeats values for a single pixel"
        c = abs(x) % (2 * d - 2)
        return 2 * d - 2 - c if c >= d else c
    return x if 0 <= x < d else None


def run(one):
    dtype, shape, args = dtype_name(one["dtype"]), one["shape"], one.get("args", {})
    mode = args.get("mode", WORDS.get(one["mode"]))
    axes = one.get("axes", list(range(len(shape))))
    if mode not in ("STRICT_BOUNDS", *WORDS.values()) or not len(one["low"]) == len(one["high"]) == len(axes):
        return dict(ERROR)
    if dtype not in TAKEN and (dtype not in WIDE or mode in ("CLAMP", "FILL", "REFLECT")):
        return dict(ERROR)
    if len(shape) > 8 or any(not -len(shape) <= a < len(shape) for a in axes):
        return dict(ERROR)
    axes = [a % len(shape) for a in axes]
    if len(set(axes)) != len(axes) or "value" in one and mode != "FILL":
        return dict(ERROR)
    start, size = [0] * len(shape), list(shape)
    for a, low, high in zip(axes, one["low"], one["high"]):
        start[a], size[a] = -low, shape[a] + low + high
    if any(s < 0 for s in size):
        return dict(ERROR)
    for first, count, d in zip(start, size, shape):
        if d == 0 and count and mode != "FILL":
            return dict(ERROR)
        if mode == "STRICT_BOUNDS" and any(not 0 <= first + y < d for y in range(count)):
            return dict(ERROR)
    data = []
    for place in itertools.product(*map(range, size)):
        index = 0
        for y, first, d in zip(place, start, shape):
            at = coordinate(y + first, d, mode)
            index = None if index is None or at is None else index * d + at
        data.append(one.get("value", 0) if index is None else one["data"][index])
    return {"shape": size, "data": data}


def make(rng, i):
    mode = ["constant", "edge", "reflect", "wrap"][i % 4]
    dtype = rng.choice(TAKEN + WIDE if mode == "wrap" else TAKEN)
    rank = rng.choice([0, 1, 1, 2, 2, 3, 4, 5])
    shape = draw_shape(rng, rank, 0.02)
    low, high, _ = draw_pads(rng, shape, SIGNED)
    value = paint_fill(dtype, rng) if mode == "constant" and rng.random() < 0.7 else None
    axes = None
    if rank and rng.random() < 0.4:
        axes = rng.sample(range(rank), rng.randint(1, rank))
        low, high = [low[a] for a in axes], [high[a] for a in axes]
        axes = [a - rank if rng.random() < 0.3 else a for a in axes]
    args = {"stride": [1] * len(low)} if rng.random() < 0.1 else None
    return case("tensorrt", dtype, shape, low, high, mode, value=value, axes=axes, args=args)


def record():
    rec = Recorder("tensorrt", "tensorrt", SOURCE, run)

    def c(dtype, shape, low, high, mode="constant", **rest):
        if mode == "STRICT_BOUNDS":
            mode, rest["args"] = "constant", {"mode": mode, **rest.get("args", {})}
        return case("tensorrt", dtype, shape, low, high, mode, **rest)

    # These two examples are from the page: the upper left part of a 3 x 3 tensor, and a 2 x 2 tensor filled up to 3 x 3.
    rec.add("doc-slice", c("float32", [3, 3], [0, 0], [-1, -1], "STRICT_BOUNDS", data=[0, 1, 2, 3, 4, 5, 6, 7, 8]))
    rec.add("doc-fill", c("float32", [2, 2], [0, 0], [1, 1], value=1, data=[0, 0, 0, 0]))
    # This example is from the header.
    rec.add("doc-axes", c("int32", [2, 3], [-1], [0], "STRICT_BOUNDS", axes=[1], data=[0, 2, 4, 1, 3, 5]))
    for mode in ["STRICT_BOUNDS", "constant", "edge", "reflect", "wrap"]:
        name = mode.lower()
        for rank in range(0, 10):
            ones = [-1] * min(rank, 1)
            rec.add(f"rank-{name}-{rank}", c("float32", ([2] + [1] * 8)[:rank], ones + [0] * (rank - 1), [0] * rank, mode, plain=True))
        for n, (d, lo, hi) in enumerate([(4, 0, 0), (4, -1, -1), (4, -4, 0), (4, 0, -4), (4, -2, -2), (4, -2, -3), (4, 1, 0), (4, 0, 1), (4, 1, -1), (4, -1, 1),
                                         (4, 3, 3), (4, 4, 4), (4, 9, 9), (4, -3, 9), (4, 9, -3), (4, -5, 3), (4, -9, 7), (4, 7, -9), (4, -9, 5),
                                         (4, 2, -6), (1, 2, 2), (1, -1, 3), (1, 3, -1), (2, 5, 6), (3, -4, 1), (3, 3, -6)]):
            rec.add(f"window-{name}-{n}", c("int32", [d], [lo], [hi], mode, plain=True))
        for n, (shape, low, high) in enumerate([([0], [0], [0]), ([0], [1], [0]), ([0], [-1], [1]), ([0], [-2], [3]), ([2, 0], [1, 0], [0, 0]),
                                                ([2, 0], [-1, 0], [0, 0]), ([2, 0], [-2, 0], [0, 1]), ([0, 2], [0, 1], [0, 1])]):
            rec.add(f"empty-{name}-{n}", c("float32", shape, low, high, mode), ["EmptyAxis"])
        for dtype in TAKEN + WIDE + ["float64", "uint8", "int16", "uint4", "float4e2m1", "float8e5m2", "complex64", "string"]:
            rec.add(f"type-{dtype}-{name}", c(dtype, [4], [-1], [0], mode))
            rec.add(f"type-{dtype}-{name}-outside", c(dtype, [4], [2], [-1], mode))
        for n, axes in enumerate([[], [0], [2], [-1], [-3], [3], [-4], [0, 0], [1, -2], [2, 0], [-1, 0, 1]]):
            rec.add(f"axes-{name}-{n}", c("float32", [2, 3, 2], [-1] * len(axes), [0 if mode == "STRICT_BOUNDS" else 1] * len(axes), mode, axes=axes, plain=True))
        rec.add(f"axes-short-{name}", c("float32", [2, 3, 2], [-1], [0], mode, axes=[0, 1]))
        rec.add(f"too-few-{name}", c("float32", [2, 3], [-1], [0], mode))
        rec.add(f"stride-{name}", c("float32", [3], [-1], [0], mode, args={"stride": [1]}))
        rec.add(f"value-{name}", c("float32", [3], [-1], [0], mode, value=0))
    for dtype in TAKEN:
        rng = seeded(f"tensorrt values {dtype}")
        for n in range(3):
            rec.add(f"value-{dtype}-{n}", c(dtype, [3], [1], [1], value=paint_fill(dtype, rng)))
    rec.add("mode-symmetric", c("float32", [3], [1], [1], "symmetric"))
    rng = seeded("tensorrt")
    for i, one in quota(rng, 120, 0.1, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record)
