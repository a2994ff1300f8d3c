"""Runs cases with LiteRT's built-in kernels of PAD, PADV2, MIRROR_PAD and DILATE. Each case becomes a model with one operator."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from elements import dtype_name  # noqa: E402
from with_litert import SOURCE, TYPES, run  # noqa: E402


def cannot(case):
    if case["dialect"] != "litert":
        return f"dialect {case['dialect']}"
    if dtype_name(case["dtype"]) not in TYPES:
        return f"type {case['dtype']}"


serve(SOURCE, run, cannot)
