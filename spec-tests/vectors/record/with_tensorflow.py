"""Records answers of tf.pad, and of the op PadV2, which tf.pad calls, in tensorflow.jsonl."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import dtypes

from common import (ERROR, SHORT, UNSIGNED_STYLES, Recorder, answer_of, case, data_of, decode_scalar, draw_pads, draw_shape,
                    dtype_name, main, np_dtype, paint_fill, quota, seeded)

SOURCE = f"tensorflow {tf.__version__} (tf.pad, CPU)"
SOURCE_RAW = f"tensorflow {tf.__version__} (PadV2, CPU)"
TYPES = {"bool": tf.bool, "string": tf.string, "bfloat16": tf.bfloat16, "float16": tf.float16, "float32": tf.float32,
         "float64": tf.float64, "complex64": tf.complex64, "complex128": tf.complex128,
         "int4": dtypes.int4, "uint4": dtypes.uint4, "float8e4m3fn": dtypes.float8_e4m3fn, "float8e5m2": dtypes.float8_e5m2,
         **{f"{u}int{n}": getattr(tf, f"{u}int{n}") for u in ("", "u") for n in (8, 16, 32, 64)}}
TAKEN = ["float32", "int64", "uint8", "float64", "bool", "int8", "float16", "int32", "uint16", "complex64", "bfloat16", "int16",
         "uint64", "uint32", "complex128", "string"]


def tensor_of(array, name):
    if name == "string":
        flat = [str(x).encode() for x in np.asarray(array, dtype=object).reshape(-1)]
        return tf.reshape(tf.constant(flat, dtype=tf.string, shape=[len(flat)]), array.shape)
    return tf.constant(array, dtype=TYPES[name], shape=array.shape)


def run(one, raw=False):
    name = dtype_name(one["dtype"])
    if name not in TYPES:
        return dict(ERROR)
    try:
        if len(one["low"]) != len(one["high"]):
            raise ValueError("paddings has two columns")
        data = tensor_of(data_of(one), name)
        widths = [list(pair) for pair in zip(one["low"], one["high"])]
        if one.get("args", {}).get("paddings") == "numpy int64":
            widths = np.array(widths, dtype=np.int64)
        else:
            long = any(abs(p) > 2**31 - 1 for pair in widths for p in pair)
            widths = tf.constant(widths, dtype=tf.int64 if long else tf.int32, shape=[len(widths), 2])
        options = {}
        if "value" in one:
            value = decode_scalar(one["value"], name)
            options["constant_values"] = tensor_of(value, name) if raw or name == "string" else np.asarray(value)[()]
        if raw:
            out = tf.raw_ops.PadV2(input=data, paddings=widths, **options)
        else:
            out = tf.pad(data, widths, mode=one["mode"].upper(), **options)
        out = out.numpy()
        return answer_of(np.asarray(out, dtype=np_dtype(name) if name != "string" else object))
    except (tf.errors.OpError, ValueError, TypeError, NotImplementedError, OverflowError):
        return dict(ERROR)


def explain(one, ours, theirs):
    """Returns the flag of a fill of -0.0. If the fill equals zero, tf.pad uses its default fill +0.0 instead."""
    value = one.get("value")
    if isinstance(value, dict) and int(value["bits"], 16) == 1 << (8 * np_dtype(one["dtype"]).itemsize - 1):
        return ["NegativeZeroFill"]
    return None


def make(rng, i):
    dtype = TAKEN[i % len(TAKEN)]
    mode = ["constant", "reflect", "symmetric", "constant", "symmetric"][(i // 5) % 5]
    rank = rng.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8])
    shape = draw_shape(rng, rank)
    styles = UNSIGNED_STYLES if mode == "constant" else SHORT + ["long"]
    low, high, _ = draw_pads(rng, shape, styles if rank < 4 else SHORT)
    value = paint_fill(dtype, rng) if mode == "constant" and rng.random() < 0.7 else None
    return case("tensorflow", dtype, shape, low, high, mode, value=value)


def record():
    rec = Recorder("tensorflow", "tensorflow", SOURCE, run, explain)
    modes = ["constant", "reflect", "symmetric"]
    raw = {"run": lambda one: run(one, True), "source": SOURCE_RAW}

    def c(dtype, shape, low, high, mode="constant", **rest):
        return case("tensorflow", dtype, shape, low, high, mode, **rest)

    for mode in modes:
        rec.add(f"doc-{mode}", c("int32", [2, 3], [1, 2], [1, 2], mode, data=[1, 2, 3, 4, 5, 6]))
        for rank in range(0, 10):
            rec.add(f"rank-{rank}-{mode}", c("int32", [2] * rank, [0] * max(0, rank - 1) + [1] * min(1, rank), [0] * rank, mode, plain=True))
            rec.add(f"rank-{rank}-{mode}-first", c("float32", [2] * rank, [0] * rank, [1] * min(1, rank) + [0] * max(0, rank - 1), mode, plain=True))
        for n, (lo, hi) in enumerate([(-1, 0), (0, -1), (-2, 3), (3, -2), (-7, 3)]):
            rec.add(f"negative-{mode}-{n}", c("float32", [6], [lo], [hi], mode), ["NegativeRefused"])
        for d, lo, hi in [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 2), (2, 1, 1), (2, 2, 0), (2, 2, 2), (2, 0, 3), (3, 2, 2), (3, 3, 3),
                          (3, 4, 0), (5, 0, 9), (6, 5, 6), (4, 11, 9)]:
            rec.add(f"limit-{mode}-{d}-{lo}-{hi}", c("int64", [d], [lo], [hi], mode, plain=True))
        for n, (shape, low, high) in enumerate([([0], [0], [0]), ([0], [1], [2]), ([0, 3], [0, 1], [0, 1]), ([0, 3], [1, 0], [0, 0]),
                                                ([3, 0], [0, 0], [2, 0]), ([2, 0, 2], [1, 0, 0], [0, 0, 1]), ([0, 0], [0, 1], [1, 0])]):
            rec.add(f"empty-{mode}-{n}", c("float32", shape, low, high, mode), ["EmptyAxis"])
        rec.add(f"too-few-{mode}", c("float32", [2, 3], [1], [1], mode))
        rec.add(f"too-many-{mode}", c("float32", [3], [1, 1], [1, 1], mode))
        for dtype in list(TYPES):
            rec.add(f"type-{dtype}-{mode}", c(dtype, [3], [2], [1], mode))
            if dtype in TAKEN:
                rec.add(f"type-{dtype}-{mode}-2", c(dtype, [2, 3], [1, 0], [1, 2], mode))
    for marks in ["pppppnn", "ppppppn", "ppppppp", "npnpnpn", "pnpnpnn", "ppnnnnpp", "ppppppnn", "nnpnpnpn"]:
        for length in (1, 0):
            shape = [length if mark == "n" else 1 for mark in marks]
            rec.add(f"merge-{marks}-{length}", c("int32", shape, [0] * len(marks), [int(mark == "p") for mark in marks]))
    for mode in ["edge", "wrap"]:
        rec.add(f"mode-{mode}", c("float32", [3], [1], [1], mode))
    for n, (dtype, value) in enumerate([("int64", 2**24 + 1), ("int64", 2**53 + 1), ("uint64", 2**64 - 1), ("int32", 2**24 + 1),
                                        ("uint32", 2**31 + 7), ("float64", 0.1), ("float64", {"bits": "0x7ff8000000000123"}),
                                        ("float64", {"bits": "0x8000000000000000"}), ("float32", {"bits": "0x7fc01234"}),
                                        ("float32", {"bits": "0x7fa00001"}), ("float32", {"bits": "0x80000000"}), ("float16", {"bits": "0x8000"}),
                                        ("bfloat16", {"bits": "0x7fc5"}), ("bool", 1), ("complex64", [1, {"bits": "0x80000000"}]),
                                        ("string", "fill"), ("float32", 0), ("int8", -128)]):
        rec.add(f"fill-{n}-{dtype}", c(dtype, [3], [1], [2], value=value))
        rec.add(f"raw-fill-{n}-{dtype}", c(dtype, [3], [2], [1], value=value), **raw)
    for mode in modes[1:]:
        rec.add(f"value-with-{mode}", c("float32", [3], [1], [1], mode, value=5))
    rec.add("paddings-truncated", c("float32", [2], [2**62 + 1], [0], plain=True, args={"paddings": "numpy int64"}), ["WidthTruncated"])
    rec.add("too-large", c("float32", [2], [2**62 + 1], [0]))

    rng = seeded("tensorflow")
    for i, one in quota(rng, 240, 0.1, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record, {"tensorflow-raw": lambda one: run(one, True)})
