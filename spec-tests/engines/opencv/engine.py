"""cv2.copyMakeBorder, asked to pad the one or two axes of an image"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, the others are found by its path
import cv2  # noqa: E402
import numpy as np  # noqa: E402
from elements import answer_of, data_of, decode_scalar, dtype_name  # noqa: E402

SOURCE = f"OpenCV {cv2.__version__} (copyMakeBorder)"
MODES = {"constant": cv2.BORDER_CONSTANT, "edge": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT_101,
         "symmetric": cv2.BORDER_REFLECT, "wrap": cv2.BORDER_WRAP}
TYPES = ["bool", "uint8", "int8", "uint16", "int16", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64"]


def cannot(case):
    if case["dialect"] != "core":
        return f"dialect {case['dialect']}"
    if case["mode"] not in MODES:
        return f"mode {case['mode']}"
    if dtype_name(case["dtype"]) not in TYPES:
        return f"type {case['dtype']}"
    if not 1 <= len(case["shape"]) <= 2 or len(case["low"]) != len(case["shape"]) or len(case["high"]) != len(case["shape"]):
        return "no image"
    if min(case["low"] + case["high"]) < 0 or any(case.get("interior", [])):
        return "borders that are no borders"


def run(case):
    name = dtype_name(case["dtype"])
    data = data_of(case)
    if case["mode"] != "constant":
        value = 0.0
    else:
        value = float(decode_scalar(case.get("value", 0), name))
    # One axis is an image of one row. Booleans are bytes there.
    rows = data.reshape((1, -1)) if data.ndim == 1 else data
    rows = rows.astype(np.uint8) if name == "bool" else rows
    (top, left), (bottom, right) = ([0] * (2 - data.ndim) + list(case[side]) for side in ("low", "high"))
    try:
        out = cv2.copyMakeBorder(rows, top, bottom, left, right, MODES[case["mode"]], value=[value] * 4)
    except (cv2.error, OverflowError) as error:
        return {"error": str(error).strip()}
    if out is None:
        return {"error": "returns no image"}
    out = out.reshape(-1) if data.ndim == 1 else out
    # It returns 64-bit integers as 32-bit ones, which are told by their numbers.
    return answer_of(out.view(np.uint32) if name == "uint64" else out)


serve(SOURCE, run, cannot)
