"""Runs cases with torch.nn.functional.pad on the CPU."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from elements import dtype_name  # noqa: E402
from with_torch import SOURCE, TYPES, run  # noqa: E402


def cannot(case):
    if case["dialect"] != "torch":
        return f"dialect {case['dialect']}"
    if dtype_name(case["dtype"]) not in TYPES:
        return f"type {case['dtype']}"


serve(SOURCE, run, cannot)
