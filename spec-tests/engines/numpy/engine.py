"""Runs cases with numpy.pad."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from with_numpy import SOURCE, run  # noqa: E402


def cannot(case):
    if case["dialect"] != "numpy":
        return f"dialect {case['dialect']}"


serve(SOURCE, run, cannot)
