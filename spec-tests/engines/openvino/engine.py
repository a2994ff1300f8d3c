"""Runs cases with the reference path of OpenVINO (Model.evaluate)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from elements import DTYPES, dtype_name  # noqa: E402
from with_openvino import ELEMENT, SOURCE, run  # noqa: E402


def cannot(case):
    if case["dialect"] != "openvino":
        return f"dialect {case['dialect']}"
    if dtype_name(case["dtype"]) not in ELEMENT:
        return f"type {case['dtype']}"
    # For types below 8 bits and scalars, the reference path reads and writes outside of its buffers.
    if DTYPES[dtype_name(case["dtype"])][1] < 8 and case["dtype"] != "string":
        return "types below 8 bits"
    if not case["shape"]:
        return "rank 0"


serve(SOURCE, run, cannot)
