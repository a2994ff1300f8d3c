"""Records answers for Core ML's operation `pad` in coreml.jsonl.

The script calls no engine. It implements the documentation of the operation in MIL, and the checks of coremltools.
"""

import itertools

from common import ERROR, SHORT, Recorder, case, draw_pads, draw_shape, dtype_name, main, paint_fill, quota, seeded

SOURCE = "coremltools 9, mil.ops.defs.iOS15.tensor_operation.pad (its documentation)"
TAKEN = ["float32", "float16"]


def run(one):
    dtype, mode, shape = dtype_name(one["dtype"]), one["mode"], one["shape"]
    given = one.get("args", {}).get("pad")
    if given is None:
        if not len(one["low"]) == len(one["high"]) == len(shape):
            return dict(ERROR)
        named = one.get("npad", len(shape))
        given = [p for pair in zip(one["low"], one["high"]) for p in pair]
        given, silent = given[len(given) - 2 * named:], given[:len(given) - 2 * named]
        if named > len(shape) or any(silent):
            return dict(ERROR)                    # the call has no argument for pads of these axes
    if dtype not in TAKEN or mode not in ("constant", "reflect", "edge"):
        return dict(ERROR)
    if len(shape) > 5 or len(given) % 2 or len(given) // 2 > len(shape):
        return dict(ERROR)
    if any(not 0 <= p <= 2**31 - 1 for p in given):
        return dict(ERROR)
    # One axis after the other is padded. An entry of `places` lists the source index of each output position of an axis. None is
    # the fill.
    first = len(shape) - len(given) // 2
    places = [list(range(d)) for d in shape]
    for i in range(len(given) // 2):
        line, before, after = places[first + i], given[2 * i], given[2 * i + 1]
        if mode == "reflect" and max(before, after) > len(line) - 1:
            return dict(ERROR)
        if mode == "edge" and max(before, after) > len(line):
            return dict(ERROR)
        if mode == "constant":
            left, right = [None] * before, [None] * after
        elif mode == "edge":
            left, right = line[:1] * before, line[-1:] * after
        else:
            left, right = line[1:before + 1][::-1], line[::-1][1:after + 1]
        places[first + i] = left + line + right
    data = []
    for place in itertools.product(*places):
        index = 0
        for at, d in zip(place, shape):
            index = None if index is None or at is None else index * d + at
        data.append(one.get("value", 0) if index is None else one["data"][index])
    return {"shape": [len(line) for line in places], "data": data}


def make(rng, i):
    dtype = TAKEN[i % 2]
    mode = ["constant", "reflect", "edge"][(i // 2) % 3]
    rank = rng.choice([1, 1, 2, 2, 3, 4, 5])
    shape = draw_shape(rng, rank, 0.02)
    low, high, _ = draw_pads(rng, shape, SHORT + ["long"] if rank > 2 or mode != "constant" else SHORT + ["long", "periods"])
    value = paint_fill(dtype, rng) if rng.random() < 0.6 else None
    npad = rng.randint(0, rank) if rng.random() < 0.5 else None
    if npad is not None:
        low[:rank - npad] = high[:rank - npad] = [0] * (rank - npad)
    return case("coreml", dtype, shape, low, high, mode, value=value, npad=npad)


def record():
    rec = Recorder("coreml", "coreml", SOURCE, run)

    def c(dtype, shape, low, high, mode="constant", **rest):
        return case("coreml", dtype, shape, low, high, mode, **rest)

    def flat(shape, pad, mode="constant", **rest):
        return c("float32", shape, [], [], mode, plain=True, args={"pad": pad}, **rest)

    for mode in ["constant", "reflect", "edge"]:
        for rank in range(0, 7):
            ones = [1] * min(rank, 1)
            rec.add(f"rank-{mode}-{rank}", c("float32", [2] * rank, ones + [0] * (rank - 1), [0] * rank, mode, plain=True))
            rec.add(f"named-none-{mode}-{rank}", c("float32", [2] * rank, [0] * rank, [0] * rank, mode, npad=0, plain=True))
        for named in range(0, 5):
            low, high = [0] * (4 - named) + [1] * named, [0] * 4
            rec.add(f"named-{mode}-{named}", c("float16", [2, 2, 2, 2], low, high, mode, npad=min(named, 4), plain=True))
        rec.add(f"named-beyond-{mode}", c("float32", [2, 2], [0, 1], [0, 1], mode, npad=3))
        rec.add(f"named-silent-{mode}", c("float32", [2, 2], [1, 1], [0, 1], mode, npad=1))
        for n, pad in enumerate([[], [1], [1, 0], [0, 1, 1], [1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1, 1, 1], [-1, 0], [0, -1, 1, 1]]):
            rec.add(f"list-{mode}-{n}", flat([2, 3], pad, mode))
        for n, (d, lo, hi) in enumerate([(1, 0, 0), (1, 1, 0), (1, 0, 2), (2, 1, 1), (2, 2, 0), (2, 0, 2), (3, 2, 2), (3, 3, 0), (3, 3, 3), (3, 0, 4), (5, 0, 9)]):
            rec.add(f"limit-{mode}-{n}", c("float32", [d], [lo], [hi], mode, plain=True))
        for n, (lo, hi) in enumerate([(-1, 0), (0, -1), (-2, 3), (2**31, 0), (2**32, 0)]):
            rec.add(f"range-{mode}-{n}", c("float32", [3], [lo], [hi], mode))
        for n, (shape, pad) in enumerate([([0], [0, 0]), ([0], [1, 0]), ([0], []), ([2, 0], [1, 0, 0, 0]), ([0, 2], [1, 1])]):
            rec.add(f"empty-{mode}-{n}", flat(shape, pad, mode), ["EmptyAxis"])
        for dtype in TAKEN + ["float64", "bfloat16", "int32", "bool", "int8", "uint8", "int64", "complex64", "string"]:
            rec.add(f"type-{dtype}-{mode}", c(dtype, [3], [1], [2], mode))
        rec.add(f"too-few-{mode}", c("float32", [2, 3], [1], [1], mode))
        for dtype in TAKEN:
            for n, value in enumerate([0, 1, -2.5, {"bits": "0x7e05" if dtype == "float16" else "0x7fc01234"},
                                       {"bits": "0x8000" if dtype == "float16" else "0x80000000"},
                                       {"bits": "0x7c00" if dtype == "float16" else "0x7f800000"}]):
                rec.add(f"value-{dtype}-{mode}-{n}", c(dtype, [3], [1], [1], mode, value=value))
    for mode in ["symmetric", "wrap"]:
        rec.add(f"mode-{mode}", c("float32", [3], [1], [1], mode))
    rng = seeded("coreml")
    for i, one in quota(rng, 100, 0.1, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record)
