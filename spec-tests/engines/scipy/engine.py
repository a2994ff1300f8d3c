"""scipy.ndimage's boundary modes, asked for the elements at positions around an array: a shift without interpolation"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, the others are found by its path
import numpy as np  # noqa: E402
import scipy  # noqa: E402
from elements import answer_of, data_of, decode_scalar, dtype_name  # noqa: E402
from scipy import ndimage  # noqa: E402

SOURCE = f"scipy {scipy.__version__} (ndimage.affine_transform, order 0)"
MODES = {"constant": "grid-constant", "edge": "nearest", "reflect": "mirror", "symmetric": "reflect", "wrap": "grid-wrap"}
TYPES = ["bool", "float32", "float64", "complex64", "complex128", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64))]


def cannot(case):
    if case["dialect"] != "core":
        return f"dialect {case['dialect']}"
    if case["mode"] not in MODES:
        return f"mode {case['mode']}"
    if dtype_name(case["dtype"]) not in TYPES:
        return f"type {case['dtype']}"
    if not case["shape"] or len(case["low"]) != len(case["shape"]) or len(case["high"]) != len(case["shape"]):
        return "no array"
    if any(case.get("interior", [])):
        return "interior widths"
    if min(case["low"] + case["high"]) < 0 and case.get("frame") == "cropped":
        return "borders of what a crop leaves"
    if min(d + low + high for d, low, high in zip(case["shape"], case["low"], case["high"])) < 0:
        return "a negative size"


def run(case):
    data = data_of(case)
    value = decode_scalar(case.get("value", [0, 0] if data.dtype.kind == "c" else 0), dtype_name(case["dtype"]))
    shape = [d + low + high for d, low, high in zip(data.shape, case["low"], case["high"])]
    try:
        out = ndimage.affine_transform(data, np.ones(data.ndim), offset=[-low for low in case["low"]], output_shape=tuple(shape),
                                       order=0, mode=MODES[case["mode"]], cval=value.item())
    except (RuntimeError, ValueError, TypeError, OverflowError) as error:
        return {"error": str(error)}
    return answer_of(out)


serve(SOURCE, run, cannot)
