"""Records answers of numpy.pad in the modes that compute values, in computed/numpy.jsonl.

The script needs only numpy. It writes the bytes of an array in hexadecimal, with elements in row-major order, and the least
significant byte of each element first.
"""

import json
import os
import random
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = f"numpy {np.__version__}, numpy.pad, x86-64"
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
TYPES = INTEGERS + FLOATS + COMPLEX + ["bool"]
STATISTICS = ["maximum", "mean", "median", "minimum"]
MODES = ["linear_ramp", *STATISTICS, "odd_reflect", "odd_symmetric", "constant"]

lines = []


def element(rng, dtype, plain):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random() < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        if not plain and rng.random() < 0.2:
            return rng.choice([info.min, info.max, info.max - 1, info.max // 2 + 1])
        return rng.randint(max(info.min, -50), 50)
    if kind == "c":
        return complex(element(rng, "float32", plain), element(rng, "float32", plain))
    if not plain and rng.random() < 0.15:
        return rng.choice([float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 6e-8, 1e-40 if dtype != "float16" else 1e-7])
    return rng.choice([rng.uniform(-9, 9), float(rng.randint(-9, 9)), rng.gauss(0, 1000)])


def array(rng, dtype, shape, plain):
    values = [element(rng, dtype, plain) for _ in range(int(np.prod(shape, dtype=int)))]
    return np.array(values, dtype=dtype).reshape(shape)


def hexed(a):
    return np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<")).tobytes().hex()


def add(name, a, width, mode, args):
    options = {key: value for key, value in args.items()}
    numpy_mode = mode
    if mode.startswith("odd_"):
        numpy_mode, options["reflect_type"] = mode[4:], "odd"
    for key in ("end_values", "constant_values"):
        if key in options:
            options[key] = numbers(options[key], a.dtype if key == "constant_values" else None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            padded = np.pad(a, width, numpy_mode, **options)
        expect = {"shape": list(padded.shape), "data": hexed(padded)}
    except (ValueError, TypeError) as error:
        expect = {"error": str(error)}
    line = {"id": f"computed/{name}-{len(lines)}", "dtype": str(a.dtype), "shape": list(a.shape), "data": hexed(a),
            "mode": mode, "pad_width": width, "args": args, "expect": expect, "source": SOURCE}
    lines.append(json.dumps(line, separators=(",", ":")))


def numbers(given, dtype):
    """Converts numbers of the JSON format to numbers for numpy. The format writes complex numbers as {"re": .., "im": ..}."""
    if isinstance(given, list):
        made = [numbers(one, None) for one in given]
        return np.array(made, dtype=dtype) if dtype is not None else made
    one = complex(given["re"], given["im"]) if isinstance(given, dict) else given
    one = float(one) if isinstance(one, str) else one
    return np.array(one, dtype=dtype)[()] if dtype is not None else one


def arguments(rng, mode, dtype, rank):
    """Returns random arguments for a mode, in one of the forms that numpy accepts."""
    def in_a_way(one):
        way = rng.randrange(6)
        if way == 0:
            return one()
        if way == 1:
            return [one(), one()]
        if way == 2:
            return [[one(), one()]]
        if way == 3 and rank != 2:
            return [[one()] for _ in range(rank)] if rank else one()
        return [[one(), one()] for _ in range(rank)] if rank else [one(), one()]

    def number():
        if np.dtype(dtype).kind == "c" and rng.random() < 0.4:
            return {"re": rng.uniform(-9, 9), "im": float(rng.randint(-9, 9))}
        if np.dtype(dtype).kind in "fc":
            return rng.choice([0, 1, rng.randint(-20, 20), rng.uniform(-20, 20), rng.uniform(-2, 2) * 1e4, "inf", "nan", 0.1])
        return rng.choice([0, rng.randint(-300, 300), rng.uniform(-100, 100), 1e6, 0.5])

    def constant():
        value = element(rng, dtype, True)
        return {"re": value.real, "im": value.imag} if isinstance(value, complex) else value

    if mode == "linear_ramp":
        return {} if rng.random() < 0.15 else {"end_values": in_a_way(number)}
    if mode == "constant":
        return {"constant_values": in_a_way(constant)}
    if mode in STATISTICS and rng.random() < 0.7:
        return {"stat_length": in_a_way(lambda: rng.choice([1, 1, 2, 2, 3, 4, 5, 9, 100]))}
    return {}


def record():
    rng = random.Random(18)
    shapes = [[1], [2], [3], [5], [8], [17], [1, 4], [4, 1], [3, 4], [5, 2], [2, 3, 2], [3, 1, 2], [2, 2, 2, 2], []]
    # Every mode runs with every type, in several shapes.
    for mode in MODES:
        for dtype in TYPES:
            for turn in range(10):
                shape = rng.choice(shapes)
                most = rng.choice({0: [1], 1: [1, 3, 5, 9, 20], 2: [1, 2, 3, 4]}.get(len(shape), [1, 2]))
                width = [[rng.randint(0, most), rng.randint(0, most)] for _ in shape] if shape else 1
                # Special values are left out of means of 8-byte types, because the result then depends on numpy's order of sums.
                plain = turn % 3 == 0 or mode == "mean" and np.dtype(dtype).itemsize == 8
                a = array(rng, dtype, shape, plain)
                add(f"{mode}-{dtype}", a, width, mode, arguments(rng, mode, dtype, len(shape)))
    # On long axes, the library computes statistics in several lanes, and finds medians by selection.
    for mode in [*STATISTICS, "linear_ramp", "odd_reflect"]:
        for dtype in ["float32", "float64", "int16", "uint8", "float16", "complex64", "int64"]:
            for shape in [[70], [131], [2, 66], [66, 3]]:
                a = array(rng, dtype, shape, mode == "mean" and dtype == "int64")
                width = [[2, 1] if length > 60 else [0, 1] for length in shape]
                add(f"long-{mode}-{dtype}", a, width, mode, {})
    # Borders of many periods.
    for mode in ["odd_reflect", "odd_symmetric"]:
        for dtype in ["int32", "uint8", "float32", "float16", "complex128", "bool"]:
            for length in [1, 2, 3, 4]:
                for width in [[[7, 0]], [[0, 8]], [[5, 13]], [[22, 3]], [[9, 9]]]:
                    add(f"periods-{mode}-{dtype}", array(rng, dtype, [length], True), width, mode, {})
    # NaN and infinities at several positions of an axis.
    for mode in [*STATISTICS, "linear_ramp", "odd_reflect", "odd_symmetric"]:
        for dtype in FLOATS + COMPLEX:
            for special in [float("nan"), float("inf"), float("-inf")]:
                for place in [0, 2, 4]:
                    a = np.arange(10, dtype=dtype).reshape(5, 2)
                    a[place, 0] = special
                    if dtype in COMPLEX and place:
                        a[place, 0] = complex(3, special)
                    add(f"special-{mode}-{dtype}", a, [[1, 2], [1, 1]], mode, {})
    # In these ramps, the steps are zero: the edge equals the end value, or their difference is too small to divide.
    for dtype in FLOATS:
        for tiny in [0.0, 6e-8, 5e-324, 1.4e-45]:
            for ends in [0, [[0, 0], [0, 1e-44]]]:
                add(f"tiny-{dtype}", np.array([[tiny, 3], [1, tiny]], dtype=dtype), [[3, 2], [2, 5]], "linear_ramp", {"end_values": ends})
    # Some of these calls are errors. The others pad empty arrays, or compute statistics of no elements.
    for mode in MODES:
        for shape in [[0], [0, 3], [3, 0], [2, 0, 1]]:
            for width in [0, 1, [[0, 0] if length == 0 else [1, 2] for length in shape]]:
                add(f"empty-{mode}", np.zeros(shape, "float32"), width, mode, {})
    for mode in STATISTICS:
        for dtype in ["float32", "complex64", "bool", "float16", "float64", "complex128"]:
            for length in [0, [0, 1], [1, 0]]:
                add(f"none-{mode}-{dtype}", array(rng, dtype, [4], True), 2, mode, {"stat_length": length})
        for length in [-1, [1, -1], [1, 2, 3], [[1, 2], [3, 4]], 0, [0, 3]]:
            add(f"refused-{mode}", array(rng, "float32", [4], True), 1, mode, {"stat_length": length})
        add(f"refused-{mode}", array(rng, "float32", [4], True), 1, mode, {"end_values": 1})
    for mode, key in [("linear_ramp", "end_values"), ("constant", "constant_values")]:
        for ends in [[1, 2, 3], [[1, 2], [3, 4]], [[1, 2, 3]]]:
            add(f"refused-{mode}", array(rng, "float32", [4], True), 1, mode, {key: ends})
    add("refused-width", array(rng, "float32", [4], True), [[-1, 0]], "mean", {})
    add("refused-mode", array(rng, "float32", [4], True), 1, "linear", {})
    add("refused-argument", array(rng, "float32", [4], True), 1, "odd_reflect", {"stat_length": 1})


record()
path = os.path.join(HERE, "..", "computed", "numpy.jsonl")
with open(path, "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
print(len(lines))
