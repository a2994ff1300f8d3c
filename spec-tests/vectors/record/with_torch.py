"""Records answers of torch.nn.functional.pad in torch.jsonl."""

import warnings

import numpy as np
import torch

from common import (ERROR, SHORT, Recorder, answer_of, case, data_of, decode_scalar, draw_pads, draw_shape, dtype_name,
                    main, np_dtype, paint_fill, quota, seeded)
from elements import DTYPES

warnings.simplefilter("ignore")
torch.set_num_threads(1)
SOURCE = f"torch {torch.__version__.split('+')[0]} (CPU)"
MODES = {"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "circular"}
TYPES = {"bool": torch.bool, "bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32, "float64": torch.float64,
         "complex64": torch.complex64, "complex128": torch.complex128, "float8e4m3fn": torch.float8_e4m3fn,
         "float8e4m3fnuz": torch.float8_e4m3fnuz, "float8e5m2": torch.float8_e5m2, "float8e5m2fnuz": torch.float8_e5m2fnuz,
         "float8e8m0": torch.float8_e8m0fnu,
         **{f"{u}int{n}": getattr(torch, f"{u}int{n}") for u in ("", "u") for n in (8, 16, 32, 64)}}
CARRIER = {8: (np.uint8, torch.uint8), 16: (np.int16, torch.int16), 32: (np.int32, torch.int32), 64: (np.int64, torch.int64)}
MIRRORED = ["float32", "int64", "uint8", "float64", "int8", "float16", "int32", "complex64", "bfloat16", "int16", "complex128"]


def tensor_of(array, name):
    if name.startswith("complex"):
        return torch.from_numpy(np.array(array))
    wide, carrier = CARRIER[DTYPES[name][1]]
    raw = torch.from_numpy(np.array(array, copy=True).reshape(-1).view(wide))
    return raw.view(TYPES[name]).reshape(array.shape)


def array_of(tensor, name):
    if name.startswith("complex"):
        return tensor.resolve_conj().contiguous().numpy()
    wide, carrier = CARRIER[DTYPES[name][1]]
    raw = tensor.contiguous().reshape(-1).view(carrier).numpy().astype(wide)
    return raw.view(np_dtype(name)).reshape(tuple(tensor.shape))


def pad_list(one):
    """Returns the pads in the order of torch, which begins with the last axis."""
    if "pad" in one.get("args", {}):
        return one["args"]["pad"]
    pairs = list(zip(one["low"], one["high"]))[::-1][:one.get("npad")]
    return [p for pair in pairs for p in pair]


def scalar_of(one):
    value = decode_scalar(one["value"], one["dtype"])
    if value.dtype.kind == "c" and value.imag == 0 and not np.signbit(value.imag):
        return value.real.item()
    if value.dtype.kind in "biuc":
        return value.item()
    return float(value)


def run(one):
    name = dtype_name(one["dtype"])
    if name not in TYPES or one["mode"] not in MODES:
        return dict(ERROR)
    options = {"value": scalar_of(one)} if "value" in one else {}
    try:
        data = tensor_of(data_of(one), name)
        return answer_of(array_of(torch.nn.functional.pad(data, pad_list(one), mode=MODES[one["mode"]], **options), name))
    except (RuntimeError, ValueError, NotImplementedError, TypeError, IndexError, OverflowError):
        return dict(ERROR)


def run_steadily(one):
    """Returns the answer if it does not depend on unwritten memory. Otherwise, returns None."""
    answers = []
    for junk in range(6):
        scratch = [torch.full((64,), 100.0 + junk + k) for k in range(16)]
        del scratch
        answers.append(run(one))
        if one["mode"] == "wrap" and any(x not in one["data"] for x in answers[-1].get("data", [])):
            return None
    return answers[0] if all(a == answers[0] for a in answers) else None


def explain(one, ours, theirs):
    name = dtype_name(one["dtype"])
    if name.startswith("complex") and "value" in one and theirs == ERROR:
        return ["ComplexFill"]
    if name in ("int64", "uint64") and "value" in one and theirs == ERROR:
        return ["ConstantThroughF32"]
    if one["mode"] == "constant" and theirs != ERROR and ours != ERROR and "value" in one:
        changed = [b for a, b in zip(ours["data"], theirs["data"]) if a != b]
        if name in ("int64", "uint64"):
            return ["ConstantThroughF32"]
        if all("bits" in str(b) for b in changed):
            return ["NaNPayload"]
    if name == "float8e8m0" and "value" not in one:
        return ["DefaultOfE8M0"]
    return None


def make(rng, i):
    mode = ["constant", "edge", "reflect", "wrap"][i % 4]
    npad = rng.choice([1, 1, 2, 2, 3])
    rank = npad + rng.choice([1, 2])
    dtype = MIRRORED[(i // 4) % len(MIRRORED)]
    styles = SHORT + ["crop", "crop"]
    if mode == "constant":
        rank = rng.choice([0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8])
        npad = rng.randint(0, rank)
        dtype = list(TYPES)[(i // 4) % len(TYPES)]
        styles += ["long", "cropall"] if rank < 4 else []
    elif mode == "edge":
        styles += ["long", "overcrop"]
    shape = draw_shape(rng, rank, zero=0.05 if mode == "constant" else 0.02)
    low, high, _ = draw_pads(rng, shape, styles)
    for axis in range(rank - npad):
        low[axis] = high[axis] = 0
    value = paint_fill(dtype, rng) if mode == "constant" and (rng.random() < 0.7 or dtype == "float8e8m0") else None
    if isinstance(value, list):
        value = [value[0], 0]                     # F.pad accepts no complex value
    one = case("torch", dtype, shape, low, high, mode, npad=npad, value=value)
    if mode == "wrap" and any(min(lo, hi) < 0 for lo, hi in zip(low, high)):
        left = [d + min(lo, 0) + min(hi, 0) for d, lo, hi in zip(shape, low, high)]
        if any(max(lo, hi) > w for w, lo, hi in zip(left, low, high)):
            return None                           # the answer depends on unwritten memory
    return one


def record():
    rec = Recorder("torch", "torch", SOURCE, run, explain)
    six = [1, 2, 3, 4, 5, 6]

    def c(dtype, shape, low, high, mode="constant", npad=None, **rest):
        return case("torch", dtype, shape, low, high, mode, npad=npad, **rest)

    # Negative pads. Borders of reflect and replicate read cropped elements. Borders of circular and constant do not.
    for mode in MODES:
        for lo, hi in [(-2, 3), (3, -2), (-2, 5), (5, -2), (-2, 0), (0, -4), (-2, -1), (-3, -3), (-6, 0), (-6, 3), (-7, 3), (2, -7),
                       (-3, -4), (-2, -5), (-5, 4), (-7, 8), (-1, 6), (-1, 5), (-6, 6), (1, -7), (5, -11), (-7, 1)]:
            flags = []
            if mode == "wrap" and max(lo, hi) > 6 + min(lo, 0) + min(hi, 0):
                flags = ["UnwrittenMemory"]
            rec.add(f"signed-{mode}-{lo}-{hi}", c("float32", [1, 6], [0, lo], [0, hi], mode, 1, data=six,
                                                  value=9 if mode == "constant" else None), flags,
                    run=run_steadily if flags else None)
        rec.add(f"signed-{mode}-two-axes", c("float32", [1, 3, 4], [0, -1, 1], [0, 1, -1], mode, 2))
        rec.add(f"signed-{mode}-crop-other", c("float32", [1, 3, 4], [0, -3, 1], [0, 0, 1], mode, 2))
        rec.add(f"signed-{mode}-three-axes", c("int32", [1, 2, 3, 2], [0, 1, -1, 0], [0, -1, 2, 1], mode, 3))

    # For these crops and pads, the shape decides whether torch returns the right answer or unwritten memory.
    for shape, lo, hi in [([1, 2, 6], -2, 5), ([1, 1, 6], -2, 5), ([1, 2, 2], -1, 2), ([1, 2, 2], 2, -1)]:
        rec.add(f"strides-{shape[1]}-{shape[2]}-{lo}-{hi}", c("float32", shape, [0, 0, lo], [0, 0, hi], "wrap", 1, plain=True),
                ["UnwrittenMemory"], run=run_steadily)

    # Numbers of padded axes, and their limits.
    for mode in MODES:
        for rank in range(0, 6):
            for npad in range(0, rank + 1):
                shape = [2] * rank
                pads = [0] * (rank - npad) + [1] * npad
                rec.add(f"rank-{rank}-npad-{npad}-{mode}", c("int32", shape, pads, [0] * rank, mode, npad, plain=True))
    for n, pad in enumerate([[1], [1, 2, 3], [1, 1, 1, 1, 1, 1], [], [0, 1, 2, 0], [-1, 1]]):
        rec.add(f"pad-list-{n}", c("int16", [2, 3], [], [], args={"pad": pad}))
        rec.add(f"pad-list-{n}-reflect", c("int16", [2, 3], [], [], "reflect", args={"pad": pad}))
    rec.add("one-of-three", c("float32", [2, 2, 2], [0, 0, 1], [0, 0, 2], "constant", 1, value=5))

    # Borders of the maximal length and longer, axes of length 1.
    for mode in ["edge", "reflect", "wrap"]:
        for d, lo, hi in [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 4), (2, 1, 1), (2, 2, 0), (2, 2, 2), (3, 2, 2), (3, 3, 3), (3, 4, 0),
                          (5, 0, 9), (6, 5, 6), (6, 6, 6), (6, 7, 0), (2, 11, 12)]:
            rec.add(f"limit-{mode}-{d}-{lo}-{hi}", c("int64", [1, d], [0, lo], [0, hi], mode, 1, plain=True))
        rec.add(f"value-with-{mode}", c("float32", [1, 3], [0, 1], [0, 1], mode, 1, value=2))
        rec.add(f"negative-shape-{mode}", c("float32", [1, 3], [0, -2], [0, -2], mode, 1), ["NegativeShape"])
    rec.add("symmetric", c("float32", [1, 3], [0, 1], [0, 1], "symmetric", 1))

    # Empty axes.
    for mode in MODES:
        for n, (shape, low, high, npad) in enumerate([([0], [0], [0], 1), ([0], [1], [2], 1), ([0, 3], [0, 1], [0, 1], 1), ([1, 0], [0, 0], [0, 0], 1),
                                                      ([1, 0], [0, 1], [0, 1], 1), ([0, 2, 3], [0, 0, 1], [0, 0, 1], 1), ([2, 0, 3], [0, 0, 1], [0, 0, 1], 1),
                                                      ([0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 1], 2), ([1, 0, 2, 3], [0, 0, 1, 1], [0, 0, 0, 1], 2),
                                                      ([1, 0], [0, -1], [0, 1], 1), ([0, 3], [0, -3], [0, 0], 1), ([0, 3], [0, -1], [0, 1], 1)]):
            rec.add(f"empty-{mode}-{n}", c("float32", shape, low, high, mode, npad), ["EmptyAxis"])

    # Types and fills.
    for name in TYPES:
        value = {"bits": "0x80"} if name == "float8e8m0" else None
        rec.add(f"type-{name}", c(name, [3], [2], [1], value=value))
        for mode in ["edge", "reflect", "wrap"]:
            rec.add(f"type-{name}-{mode}", c(name, [1, 4], [0, 2], [0, 3], mode, 1))
    rec.add("default-float8e8m0", c("float8e8m0", [2], [1], [1]))
    for n, (name, value) in enumerate([("int64", 2**24 + 1), ("int64", 2**53 + 1), ("int64", 2**63 - 1), ("uint64", 2**53 + 1), ("int64", -2**63),
                                       ("int32", 2**24 + 1), ("uint32", 2**32 - 1), ("float64", 0.1), ("float64", {"bits": "0x7ff8000000000123"}),
                                       ("float64", {"bits": "0x8000000000000000"}), ("float32", {"bits": "0x7fc01234"}), ("float32", {"bits": "0x80000000"}),
                                       ("float32", {"bits": "0xff800000"}), ("float16", {"bits": "0x8000"}), ("bfloat16", {"bits": "0x7fc5"}),
                                       ("float8e5m2", {"bits": "0x7d"}), ("bool", 1), ("complex64", [1, 2]), ("complex128", [0.1, {"bits": "0x8000000000000000"}])]):
        rec.add(f"fill-{n}-{name}", c(name, [3], [1], [2], value=value))
    rec.add("batch-beyond-65535", c("int8", [65537, 1], [0, 0], [0, 1], "edge", 1, data=[i % 7 for i in range(65537)]))
    rec.add("too-large", c("float32", [2], [2**62], [0]))
    for alias in ["f32", "i64", "bf16", "u8"]:
        rec.add(f"alias-{alias}", c(alias, [1, 3], [0, 1], [0, 2], "edge", 1))

    rng = seeded("torch")
    for i, one in quota(rng, 260, 0.15, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record, {"torch-steady": run_steadily})
