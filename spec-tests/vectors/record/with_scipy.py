"""Records in scipy.jsonl how scipy.ndimage pads: the lines that a filter gets, and the results of map_coordinates."""

import numpy as np
import scipy
from scipy import ndimage

from common import (ERROR, SHORT, SIGNED, UNSIGNED_STYLES, Recorder, answer_of, case, data_of, draw_pads, draw_shape, dtype_name, main,
                    np_dtype, quota, seeded)
from numbers_as import number_of
from rules import SCIPY_WORDS

SOURCES = {"filter": f"scipy {scipy.__version__} (ndimage.generic_filter1d)",
           "interpolation": f"scipy {scipy.__version__} (ndimage.map_coordinates, order 0)"}
SOURCE = SOURCES["interpolation"]
USUAL = {"constant": "constant", "edge": "nearest", "reflect": "mirror", "symmetric": "reflect", "wrap": "grid-wrap"}
REAL = ["float64", "int32", "uint8", "float32", "int16", "uint64", "bool", "int64", "int8", "uint16", "uint32"]
TAKEN = {"filter": REAL, "interpolation": REAL + ["complex64", "complex128"]}


def extended(line_of, data, low, high, mode, cval):
    """Returns the array with its last axis padded, as a filter of the size low + high + 1 gets it."""
    size = low + high + 1
    seen = []

    def look(line, out):
        seen.append(line.copy())
        out[...] = 0

    ndimage.generic_filter1d(data, look, size, axis=-1, output=np.float64, mode=mode, cval=cval, origin=low - size // 2)
    return np.array(seen).reshape(*data.shape[:-1], data.shape[-1] + low + high)


def by_filters(data, low, high, mode, cval):
    for axis, (lo, hi) in enumerate(zip(low, high)):
        moved = np.ascontiguousarray(np.moveaxis(data, axis, -1))
        longer = extended(None, moved, lo, hi, mode, cval).astype(data.dtype)
        data = np.ascontiguousarray(np.moveaxis(longer, -1, axis))
    return data


def by_coordinates(data, low, high, mode, cval):
    sizes = [d + lo + hi for d, lo, hi in zip(data.shape, low, high)]
    if min(sizes) < 0:
        raise ValueError("no such array")
    places = np.meshgrid(*(np.arange(-lo, d + hi) for d, lo, hi in zip(data.shape, low, high)), indexing="ij")
    return ndimage.map_coordinates(data, np.array(places), order=0, mode=mode, cval=cval, prefilter=False)


def run(one):
    name = dtype_name(one["dtype"])
    word = one.get("args", {}).get("mode") or USUAL.get(one["mode"], one["mode"])
    try:
        data = data_of(one)
        if not len(one["low"]) == len(one["high"]) == data.ndim:
            raise ValueError("not one width per axis")
        if data.ndim == 0:
            ndimage.map_coordinates(data, np.zeros((0,)), order=0, mode=word)
            raise ValueError("nothing to call")
        if one["flavour"] == "filter" and min(one["low"] + one["high"]) < 0:
            raise ValueError("a filter reaches no less than its element")
        ask = by_filters if one["flavour"] == "filter" else by_coordinates
        with np.errstate(invalid="ignore"):
            out = ask(data, one["low"], one["high"], word, number_of(one.get("value", 0)))
        if name == "bool" and np.any(out.view(np.uint8) > 1):
            return None                           # this byte is neither False nor True
        return answer_of(out)
    except (RuntimeError, ValueError, TypeError, OverflowError, KeyError):
        return dict(ERROR)


def explain(one, ours, theirs):
    """Returns the flags of elements that scipy changes, such as by a conversion to double."""
    if "error" in ours or "error" in theirs or ours["shape"] != theirs["shape"]:
        return None
    reasons = set()
    for a, b in zip(ours["data"], theirs["data"]):
        parts = zip(a, b) if isinstance(a, list) else [(a, b)]
        for a, b in parts:
            if a == b:
                continue
            if isinstance(a, int) and isinstance(b, int) and abs(a) > 2**53:
                reasons.add("ThroughDouble")
            elif isinstance(a, dict) and int(a["bits"], 16) in (1 << 31, 1 << 63) and b == 0:
                reasons.add("SignOfZero")
            elif isinstance(a, dict) and isinstance(b, dict):
                reasons.add("NaNPayload")
            else:
                return None
    return sorted(reasons)


def make(flavour):
    def make(rng, i):
        dtype = TAKEN[flavour][i % len(TAKEN[flavour])]
        word = list(SCIPY_WORDS)[(i // 3) % (8 if flavour == "filter" else 7)]
        mode = SCIPY_WORDS[word]
        rank = rng.choice([1, 1, 1, 2, 2, 3, 4, 5])
        shape = draw_shape(rng, rank, 0)
        styles = (UNSIGNED_STYLES if flavour == "filter" else SIGNED) if rank < 3 else SHORT
        low, high, _ = draw_pads(rng, shape, styles)
        values = [0.0, 1.0] if dtype == "bool" else [0.0, 1.0, 7.0, 100.0] if flavour == "filter" else [0.0, 2.5, -2.5, 300.0, -300.0, 0.1]
        value = rng.choice(values) if mode == "constant" and rng.random() < 0.8 else None
        return case("scipy", dtype, shape, low, high, mode, flavour=flavour, value=value, args={"mode": word} if word != USUAL[mode] else None)
    return make


def record():
    rec = Recorder("scipy", "scipy", SOURCE, run, explain)

    def add(name, flavour, dtype, shape, low, high, word="constant", flags=(), run=None, **rest):
        mode = SCIPY_WORDS.get(word, word)
        args = None if word == USUAL.get(mode) else {"mode": word}
        if args and word not in SCIPY_WORDS:
            args, mode = None, word
        one = case("scipy", dtype, shape, low, high, mode, flavour=flavour, args=args, **rest)
        rec.add(f"{flavour}-{name}", one, flags, source=SOURCES[flavour], run=run)

    for flavour in SOURCES:
        for word in SCIPY_WORDS:
            overlaps = ["WrapOverlaps"] if word == "wrap" and flavour == "interpolation" else []
            for d, lo, hi in [(1, 0, 0), (1, 1, 0), (1, 3, 4), (2, 1, 1), (2, 5, 9), (3, 2, 2), (3, 4, 7), (4, 9, 9), (4, 19, 0), (5, 0, 23)]:
                add(f"limit-{word}-{d}-{lo}-{hi}", flavour, "float64", [d], [lo], [hi], word, overlaps, plain=True)
            add(f"doc-{word}", flavour, "int32", [2, 3], [1, 2], [1, 2], word, overlaps, data=[1, 2, 3, 4, 5, 6], value=9)
            for n, (lo, hi) in enumerate([(-1, 0), (0, -1), (-2, 3), (3, -2), (-5, 3), (3, -5), (-4, 0), (-2, -3)]):
                add(f"negative-{word}-{n}", flavour, "float64", [4], [lo], [hi], word, overlaps or ["NegativeRefused"][:flavour == "filter"], plain=True)
            add(f"rank-0-{word}", flavour, "float64", [], [], [], word, ["RankZero"])
            if flavour == "interpolation":
                # Outside of an empty axis, modes other than the constant ones return unwritten memory, so there is no answer.
                silent = None if "constant" in word else lambda _: None
                add(f"empty-{word}", flavour, "float64", [0], [1], [1], word, ["EmptyAxis", *overlaps, *(["UnwrittenMemory"] if silent else [])], run=silent)
                add(f"empty-0-{word}", flavour, "float64", [0], [0], [0], word, ["EmptyAxis", *overlaps])
                add(f"empty-other-{word}", flavour, "float64", [0, 3], [0, 1], [0, 1], word, ["EmptyAxis", *overlaps])
            add(f"too-few-{word}", flavour, "float64", [2, 3], [1], [1], word)
        for word in ["edge", "periodic"]:
            rec.add(f"{flavour}-mode-{word}", case("scipy", "float64", [3], [1], [1], "other", flavour=flavour), source=SOURCES[flavour])
        for dtype in TAKEN["interpolation"] + ["float16", "bfloat16", "string"]:
            for word in ["constant", "mirror"]:
                add(f"type-{dtype}-{word}", flavour, dtype, [4], [2], [3], word)
    for dtype in TAKEN["interpolation"]:
        for n, value in enumerate([0.0, 1.0, 0.4, 0.5, 2.5, 3.5, -0.5, -1.5, 300.0, -300.0, 70000.0, 5e9, -5e9, -1e300]):
            if dtype != "bool" or n < 2:
                add(f"cval-{dtype}-{n}", "interpolation", dtype, [1], [1], [0], value=value, data=[[1, 2]] if "complex" in dtype else [1])
        for n, value in enumerate([9.3e18, 1.9e19, 1e300, {"bits": "0x7ff8000000000000"}]):
            if dtype != "bool":
                add(f"cval-far-{dtype}-{n}", "interpolation", dtype, [1], [1], [0], "constant", ["ValueToMachine"], value=value, data=[[1, 2]] if "complex" in dtype else [1])
        if dtype in REAL and dtype != "bool":
            for n, value in enumerate([1.0, 7.0, 127.0]):
                add(f"cval-{dtype}-{n}", "filter", dtype, [1], [1], [0], value=value, data=[1])
    for flavour in SOURCES:
        rng = seeded(f"scipy {flavour}")
        for i, one in quota(rng, 150, 0.08, make(flavour)):
            rec.add(f"{flavour}-draw-{i:03}", one, source=SOURCES[flavour])
    rec.write()


if __name__ == "__main__":
    main(run, record)
