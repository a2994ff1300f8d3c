"""Runs cases with cv2.copyMakeBorder."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from with_opencv import SOURCE, run  # noqa: E402


def cannot(case):
    if case["dialect"] != "opencv":
        return f"dialect {case['dialect']}"


serve(SOURCE, run, cannot)
