"""Records answers of jax.lax.pad, which calls the operator Pad of XLA, in xla.jsonl."""

import jax

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp
import numpy as np

from common import (ERROR, SIGNED, Recorder, answer_of, case, data_of, decode_scalar, draw_pads, draw_shape, dtype_name,
                    main, paint_fill, quota, seeded)

SOURCE = f"jax {jax.__version__} (lax.pad, CPU)"
TYPES = ["float32", "int64", "uint8", "float64", "bool", "int8", "float16", "int32", "uint16", "complex64",
         "bfloat16", "int16", "uint64", "uint32", "complex128", "float8e4m3fn", "float8e5m2",
         "float8e4m3fnuz", "float8e5m2fnuz", "float8e8m0", "float4e2m1", "int4", "uint4", "int2", "uint2"]


def run(one):
    if dtype_name(one["dtype"]) == "string" or "value" not in one:
        return dict(ERROR)                        # jax has no strings, and lax.pad requires a fill
    sides = [one["low"], one["high"], one.get("interior", [0] * len(one["low"]))]
    try:
        if len({len(side) for side in sides}) != 1:
            raise ValueError("padding_config has one entry per axis")
        value = jnp.asarray(decode_scalar(one["value"], one["dtype"]))
        return answer_of(np.asarray(jax.lax.pad(jnp.asarray(data_of(one)), value, list(zip(*sides)))))
    except (TypeError, ValueError, OverflowError, jax.errors.JaxRuntimeError):
        return dict(ERROR)


def explain(one, ours, theirs):
    """Returns the flag of NaNs that lost their payload. On the CPU, XLA converts bfloat16 and float8e5m2 to a wider type."""
    if dtype_name(one["dtype"]) in ("bfloat16", "float8e5m2") and theirs != ERROR:
        pairs = [(a, b) for a, b in zip(ours["data"], theirs["data"]) if a != b]
        if all(isinstance(a, dict) and isinstance(b, dict) for a, b in pairs):
            return ["NaNPayload"]
    return None


def make(rng, i):
    dtype = TYPES[i % len(TYPES)]
    rank = rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8])
    shape = draw_shape(rng, rank)
    styles = SIGNED if rank < 4 else ["none", "short", "short", "crop", "none"]
    low, high, inner = draw_pads(rng, shape, styles, interior=i % 4 != 0)
    return case("xla", dtype, shape, low, high, interior=inner if i % 4 else None, value=paint_fill(dtype, rng))


def record():
    rec = Recorder("xla", "xla", SOURCE, run, explain)
    six = [1, 2, 3, 4, 5, 6]

    def c(dtype, shape, low, high, interior=None, value=9, **rest):
        return case("xla", dtype, shape, low, high, interior=interior, value=value, **rest)

    rec.add("doc-ngraph", c("int32", [3, 3], [1, 2], [1, 0], [1, 2], 42, data=range(1, 10)))
    for lo, hi, r in [(-3, 2, 2), (-1, -1, 1), (-7, 3, 0), (-20, 30, 0), (2, -7, 0), (5, -20, 2), (-20, 5, 2), (-2, 3, 0), (3, -2, 0),
                      (-6, 0, 0), (-3, -3, 0), (-3, -4, 0), (-2, -2, 2), (-5, -5, 1), (-6, -5, 1), (-6, -6, 1), (0, 0, 3), (1, 0, 1),
                      (0, 1, 5), (-16, 0, 2), (-17, 4, 2), (4, -17, 2), (-4, -4, 3), (-7, -8, 2), (-8, -8, 2), (-8, -9, 2)]:
        for n in (1, 6):
            rec.add(f"signed-{n}-{lo}-{hi}-{r}", c("int32", [n], [lo], [hi], [r], data=six[:n]))
    for n, (shape, low, high, inner) in enumerate([([0], [0], [0], [0]), ([0], [1], [2], [3]), ([0], [-1], [1], [0]), ([0], [-1], [0], [0]),
                                                   ([0], [0], [-1], [7]), ([0, 3], [0, 1], [0, 1], [1, 1]), ([0, 3], [1, 0], [1, 0], [2, 1]),
                                                   ([3, 0], [-3, 0], [0, 2], [0, 0]), ([2, 0, 2], [0, 0, -2], [0, 0, 0], [1, 1, 1]),
                                                   ([1], [0], [0], [5]), ([1, 1], [2, 0], [0, 2], [9, 9])]):
        rec.add(f"empty-{n}", c("float32", shape, low, high, inner), ["EmptyAxis"])
    rec.add("rank-0", c("float32", [], [], [], []), ["RankZero"])
    rec.add("rank-0-no-interior", c("float32", [], [], []), ["RankZero"])
    rec.add("rank-0-too-many", c("float32", [], [1], [1], [0]), ["RankZero"])
    for n, (low, high, inner) in enumerate([([1], [1], [-1]), ([0], [0], [-2]), ([1, 1], [1, 1], [0, 0]), ([], [], []), ([1], [1, 1], [0]),
                                            ([1], [1], [0, 0]), ([2**62], [2**62], [0]), ([0], [0], [2**62])]):
        rec.add(f"refused-{n}", c("float32", [3], low, high, inner))
    rec.add("no-value", c("float32", [3], [1], [1], value=None))
    rec.add("interior-of-one-element-is-unlimited", c("float32", [1], [1], [1], [2**40]))
    for dtype in TYPES:
        rng = seeded(f"xla type {dtype}")
        rec.add(f"type-{dtype}", c(dtype, [2, 2], [1, 0], [0, -1], [1, 2], paint_fill(dtype, rng)))
        rec.add(f"type-{dtype}-crop", c(dtype, [5], [-2], [4], [0], paint_fill(dtype, rng)))
    rec.add("string", c("string", [2], [1], [1], value="x"))
    for n, (dtype, value) in enumerate([("int64", 2**24 + 1), ("int64", 2**53 + 1), ("uint64", 2**64 - 1), ("int32", 2**24 + 1),
                                        ("float64", 0.1), ("float64", {"bits": "0x7ff8000000000123"}), ("float64", {"bits": "0x7ff0000000000001"}),
                                        ("float64", {"bits": "0x8000000000000000"}), ("float32", {"bits": "0x7fc01234"}),
                                        ("float32", {"bits": "0x7fa00001"}), ("float32", {"bits": "0x80000000"}), ("float16", {"bits": "0x8000"}),
                                        ("float16", {"bits": "0x7e01"}), ("float16", {"bits": "0x7d01"}), ("bfloat16", {"bits": "0x7fc1"}),
                                        ("bfloat16", {"bits": "0x7f81"}), ("float8e5m2", {"bits": "0x7d"}), ("float8e4m3fnuz", {"bits": "0x80"}),
                                        ("complex64", [{"bits": "0x80000000"}, {"bits": "0x7fc01234"}]), ("float8e8m0", {"bits": "0x00"})]):
        rec.add(f"fill-{n}-{dtype}", c(dtype, [3], [1], [2], [1], value))
    rng = seeded("xla")
    for i, one in quota(rng, 240, 0.06, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record)
