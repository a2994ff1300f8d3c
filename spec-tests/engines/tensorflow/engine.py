"""Runs cases with tf.pad on the CPU, or with the op PadV2, which tf.pad calls."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, it adds the folder of the next modules to the path
from elements import dtype_name  # noqa: E402
from with_tensorflow import SOURCE, TYPES, run  # noqa: E402


def cannot(case):
    if case["dialect"] != "tensorflow":
        return f"dialect {case['dialect']}"
    if dtype_name(case["dtype"]) not in TYPES:
        return f"type {case['dtype']}"


def answer(case):
    # Cases with `/raw-` in their name call the op PadV2.
    return run(case, "/raw-" in case["id"])


serve(SOURCE, answer, cannot)
