"""onnxruntime's CPU provider, by models of one node"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, the others are found by its path
from with_onnxruntime import SOURCE, run  # noqa: E402


def cannot(case):
    # Both flavours are calls of ONNX. What the text says is asked of the engine too.
    if case["dialect"] != "onnx":
        return f"dialect {case['dialect']}"


serve(SOURCE, run, cannot)
