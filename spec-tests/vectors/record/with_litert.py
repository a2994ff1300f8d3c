"""Records answers of LiteRT's operators PAD, PADV2, MIRROR_PAD and DILATE in litert.jsonl.

Each case becomes a model with one operator, which the built-in kernels of the interpreter run. In the variant `litert-xnnpack`,
the interpreter has its default settings, so XNNPACK runs some of the models.
"""

from importlib import metadata

import numpy as np

from common import (ERROR, SHORT, UNSIGNED_STYLES, Recorder, answer_of, ask_in_a_process, case, data_of, decode_scalar, draw_pads, draw_shape,
                    dtype_name, main, np_dtype, paint_fill, quota, seeded)
from litert_model import TYPES, answer
from rules import LITERT_CARRIED, LITERT_TYPES

SOURCE = f"ai-edge-litert {metadata.version('ai-edge-litert')} (built-in kernels, CPU)"
MIRRORS = {"reflect": 0, "symmetric": 1}
OPERATORS = {"PAD": LITERT_TYPES, "PADV2": LITERT_TYPES, "MIRROR_PAD": LITERT_CARRIED, "DILATE": LITERT_CARRIED + ["complex128"]}


def run(one, xnnpack=False):
    name, args, operator = dtype_name(one["dtype"]), one.get("args", {}), one["version"]
    if name not in TYPES:
        return dict(ERROR)
    try:
        if len(one["low"]) != len(one["high"]):
            raise ValueError("paddings has two columns")
        if (operator == "MIRROR_PAD") != (one["mode"] in MIRRORS) or one["mode"] not in ("constant", *MIRRORS):
            raise ValueError("mode")
        data = data_of(one)
        point = args.get("zero_point")
        inputs = [(name, point, data)]
        if operator == "DILATE":
            if any(one["low"] + one["high"]) or "value" not in one:
                raise ValueError("no such input")
            inputs.append(("int32", None, np.array(one.get("interior", [0] * data.ndim), np.int32) + 1))
        else:
            long = any(abs(p) >= 2**31 for p in one["low"] + one["high"])
            kind = args.get("paddings_dtype", "int64" if long else "int32")
            pads = np.array(list(zip(one["low"], one["high"])), np.dtype(kind)).reshape(len(one["low"]), 2)
            inputs.append((kind, None, pads))
        if operator in ("PADV2", "DILATE"):
            if "value" not in one:
                raise ValueError("the value is an input")
            value = np.full(args.get("value_shape", []), decode_scalar(one["value"], name), np_dtype(name))
            inputs.append((name, args.get("value_zero_point", point), value))
        out = answer(operator, MIRRORS.get(one["mode"]), inputs, xnnpack)
        return answer_of(np.asarray(out, dtype=np_dtype(name)))
    except (RuntimeError, ValueError, TypeError, OverflowError):
        return dict(ERROR)


def alone(one):
    """Runs a case in its own process, because LiteRT may crash."""
    return ask_in_a_process("with_litert.py", one, seconds=20)


def explain(one, ours, theirs):
    """Returns the flag of a fill of -0.0. If a fill equals zero, the optimised kernel writes +0.0 with memset."""
    value = one.get("value")
    if isinstance(value, dict) and int(value["bits"], 16) == 1 << (8 * np_dtype(one["dtype"]).itemsize - 1):
        return ["NegativeZeroFill"]
    return None


def make(rng, i):
    operator = ["PAD", "PADV2", "MIRROR_PAD", "DILATE"][i % 4]
    dtype = OPERATORS[operator][(i // 4) % len(OPERATORS[operator])]
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6])
    dilates = operator == "DILATE"
    shape = draw_shape(rng, rank, 0 if dilates else 0.06, 24 if dilates else 48)
    mode = rng.choice(list(MIRRORS)) if operator == "MIRROR_PAD" else "constant"
    styles = ["none"] if dilates else SHORT + ["long"] if mode in MIRRORS or rank > 2 else UNSIGNED_STYLES
    low, high, _ = draw_pads(rng, shape, styles)
    interior = [rng.choice([0, 0, 1, 2]) for _ in shape] if dilates else None
    value = paint_fill(dtype, rng) if operator in ("PADV2", "DILATE") else None
    args = {}
    if dtype in ("int8", "uint8", "int16") and rng.random() < 0.5:
        args["zero_point"] = rng.choice([0, 0, 3, 100]) if operator != "MIRROR_PAD" or dtype != "int16" else 0
    return case("litert", dtype, shape, low, high, mode, version=operator, interior=interior, value=value, args=args or None)


def record():
    rec = Recorder("litert", "litert", SOURCE, run, explain)

    def c(operator, dtype, shape, low, high, mode="constant", **rest):
        return case("litert", dtype, shape, low, high, mode, version=operator, **rest)

    def value_for(operator, dtype, value):
        return value if operator in ("PADV2", "DILATE") else None

    every = [("PAD", "constant"), ("PADV2", "constant"), ("MIRROR_PAD", "reflect"), ("MIRROR_PAD", "symmetric")]
    for operator, mode in every:
        tag = operator.lower() if operator != "MIRROR_PAD" else mode
        value = value_for(operator, "float32", 9)
        rec.add(f"doc-{tag}", c(operator, "int32", [2, 3], [1, 2], [1, 2], mode, data=[1, 2, 3, 4, 5, 6], value=value))
        for rank in range(0, 9):
            rec.add(f"rank-{tag}-{rank}", c(operator, "float32", [2] * rank, [1] * min(rank, 1) + [0] * max(0, rank - 1), [0] * rank, mode, plain=True, value=value))
        for d, lo, hi in [(1, 0, 0), (1, 1, 0), (1, 0, 2), (2, 1, 1), (2, 2, 0), (2, 2, 2), (2, 0, 3), (3, 2, 2), (3, 3, 3), (3, 4, 0), (3, 0, 4), (5, 0, 9), (6, 5, 6)]:
            rec.add(f"limit-{tag}-{d}-{lo}-{hi}", c(operator, "int64", [d], [lo], [hi], mode, plain=True, value=value))
        for n, (lo, hi) in enumerate([(-1, 0), (0, -1), (-2, 3), (3, -2), (-7, 3)]):
            rec.add(f"negative-{tag}-{n}", c(operator, "float32", [6], [lo], [hi], mode, value=value), ["NegativeRefused"])
        for n, (shape, low, high) in enumerate([([0], [0], [0]), ([0], [1], [2]), ([0, 3], [0, 1], [0, 1]), ([0, 3], [1, 0], [0, 0]), ([3, 0], [0, 0], [2, 0])]):
            rec.add(f"empty-{tag}-{n}", c(operator, "float32", shape, low, high, mode, value=value), ["EmptyAxis"])
        rec.add(f"too-few-{tag}", c(operator, "float32", [2, 3], [1], [1], mode, value=value))
        rec.add(f"too-many-{tag}", c(operator, "float32", [3], [1, 1], [1, 1], mode, value=value))
        for kind in ["int64", "int16", "int8"]:
            if operator != "MIRROR_PAD" or kind == "int64":
                rec.add(f"paddings-{tag}-{kind}", c(operator, "float32", [3], [1], [2], mode, value=value, args={"paddings_dtype": kind}))
        rec.add(f"too-large-{tag}", c(operator, "float32", [3], [2**31], [0], mode, value=value))
        rec.add(f"too-large-64-{tag}", c(operator, "float32", [3], [2**32 + 1], [0], mode, value=value))
    for operator, types in OPERATORS.items():
        for dtype in LITERT_CARRIED + ["complex128", "string", "float8e5m2", "float4e2m1"]:
            for mode in MIRRORS if operator == "MIRROR_PAD" else ["constant"]:
                value = None
                if operator in ("PADV2", "DILATE"):
                    value = "x" if dtype == "string" else 0.5 if "8e" in dtype or "4e" in dtype else [1, 2] if "complex" in dtype else 1
                low, high = ([0], [0]) if operator == "DILATE" else ([2], [1])
                for n, shape in enumerate([[3], [2, 3]]):
                    more = {"interior": [1] * (n + 1)} if operator == "DILATE" else {}
                    if dtype in types or n == 0:
                        rec.add(f"type-{operator}-{mode}-{dtype}-{n}", c(operator, dtype, shape, [0] * n + low, [0] * n + high, mode, value=value, **more))
    # Quantised tensors.
    for dtype in ["uint8", "int8", "int16", "int32", "int64", "float32"]:
        for point in [0, 1, 5, -3, 127, 128, -128, -129, 255, 256, 300, 32767, 32768]:
            args = {"zero_point": point}
            rec.add(f"zero-{dtype}-{point}", c("PAD", dtype, [3], [1], [2], args=args, data=[1, 2, 3]), ["ZeroPoint"])
            if point in (0, 5, 300):
                rec.add(f"zero-2d-{dtype}-{point}", c("PAD", dtype, [2, 2], [1, 0], [0, 1], args=args, data=[1, 2, 3, 4]), ["ZeroPoint"])
                rec.add(f"zero-padv2-{dtype}-{point}", c("PADV2", dtype, [3], [1], [2], value=7, args=args, data=[1, 2, 3]), ["ZeroPoint"])
                rec.add(f"zero-padv2-other-{dtype}-{point}", c("PADV2", dtype, [3], [1], [2], value=7, args={**args, "value_zero_point": point + 1}, data=[1, 2, 3]), ["ZeroPoint"])
                rec.add(f"zero-mirror-{dtype}-{point}", c("MIRROR_PAD", dtype, [3], [1], [2], "reflect", args=args, data=[1, 2, 3]), ["ZeroPoint"])
                rec.add(f"zero-dilate-{dtype}-{point}", c("DILATE", dtype, [3], [0], [0], value=7, interior=[1], args=args, data=[1, 2, 3]), ["ZeroPoint"])
    for dtype in ["uint8", "int8", "int16", "int32"]:
        rec.add(f"zero-padv2-value-{dtype}", c("PADV2", dtype, [3], [1], [2], value=7, args={"value_zero_point": 5}, data=[1, 2, 3]), ["ZeroPoint"])
    # Values.
    for n, (dtype, value) in enumerate([("int64", 2**53 + 1), ("int32", 2**24 + 1), ("float32", {"bits": "0x7fc01234"}), ("float32", {"bits": "0x7fa00001"}),
                                        ("float32", {"bits": "0x80000000"}), ("float16", {"bits": "0x8000"}), ("bfloat16", {"bits": "0x8000"}), ("float32", 0), ("bool", 1)]):
        rec.add(f"fill-{n}-{dtype}", c("PADV2", dtype, [3], [1], [2], value=value, plain=True))
        rec.add(f"fill-dilate-{n}-{dtype}", c("DILATE", dtype, [3], [0], [0], interior=[1], value=value, plain=True))
    for operator, rest in [("PADV2", {}), ("DILATE", {"interior": [1]})]:
        low, high = ([1], [2]) if operator == "PADV2" else ([0], [0])
        rec.add(f"no-value-{operator}", c(operator, "float32", [3], low, high, **rest))
        for n, shape in enumerate([[1], [1, 1]]):
            rec.add(f"value-shape-{operator}-{n}", c(operator, "float32", [3], low, high, value=9, args={"value_shape": shape}, **rest))
    # Dilations.
    for n, (shape, interior) in enumerate([([3], [0]), ([3], [1]), ([3], [4]), ([1], [5]), ([2, 3], [1, 0]), ([2, 3], [0, 2]), ([2, 3], [2, 1]), ([2, 1, 2], [1, 3, 1]),
                                           ([2, 2, 2, 2], [1, 0, 1, 0]), ([1, 2, 1, 2, 1, 2], [0, 1, 0, 1, 0, 1])]):
        rec.add(f"dilate-{n}", c("DILATE", "float32", shape, [0] * len(shape), [0] * len(shape), interior=interior, value=9, plain=True))
    # Interior padding of -1 is a dilation of 0, and -2 is a dilation of -1. LiteRT checks dilations too late, and may crash.
    for n, (shape, interior) in enumerate([([3], [-1]), ([2, 3], [0, -1]), ([2, 3], [-1, 1]), ([3], [-2])]):
        rec.add(f"dilate-by-none-{n}", c("DILATE", "float32", shape, [0] * len(shape), [0] * len(shape), interior=interior, value=9, plain=True), ["UncheckedAxis"], run=alone)
    rec.add("dilate-scalar", c("DILATE", "float32", [], [], [], interior=[], value=9), ["RankZero"])
    for n, (shape, interior) in enumerate([([0], [1]), ([0, 2], [1, 1]), ([2, 0], [1, 0]), ([0, 2], [0, 1])]):
        rec.add(f"dilate-empty-{n}", c("DILATE", "float32", shape, [0] * len(shape), [0] * len(shape), interior=interior, value=9), ["EmptyAxis", "UncheckedAxis"], run=alone)

    rng = seeded("litert")
    for i, one in quota(rng, 300, 0.1, make):
        rec.add(f"draw-{i:03}", one)
    for line in list(rec.lines):
        # With XNNPACK, the answers must be the same.
        one = {key: line[key] for key in ("dialect", "version", "dtype", "shape", "data", "low", "high", "interior", "mode", "value", "args") if key in line}
        if "UncheckedAxis" not in line.get("flags", []):
            theirs = run(one, xnnpack=True)
            if theirs != line.get("answers", {}).get("litert", line["expect"]):
                raise SystemExit(f"{line['id']}: XNNPACK answers {theirs}")
    rec.write()


if __name__ == "__main__":
    main(run, record, {"litert-xnnpack": lambda one: run(one, True)})
