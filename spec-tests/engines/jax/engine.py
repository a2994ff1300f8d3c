"""Runs cases with jax.lax.pad on the CPU, which calls the operator Pad of XLA."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from elements import dtype_name  # noqa: E402
from with_jax import SOURCE, run  # noqa: E402


def cannot(case):
    if case["dialect"] != "xla":
        return f"dialect {case['dialect']}"
    if case["mode"] != "constant":
        return f"mode {case['mode']}"
    if dtype_name(case["dtype"]) == "string":
        return "strings"


serve(SOURCE, run, cannot)
