"""Runs cases with the CPU provider of onnxruntime. Each case becomes a model with one node."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from with_onnxruntime import SOURCE, run  # noqa: E402


def cannot(case):
    # All flavours are calls of ONNX, so the engine can also run the cases that follow the specification.
    if case["dialect"] != "onnx":
        return f"dialect {case['dialect']}"


serve(SOURCE, run, cannot)
