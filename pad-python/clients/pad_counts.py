"""Counts the calls of numpy.pad while pytest runs, and patches numpy on request. The script run.py loads this plugin."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

calls: Counter[str] = Counter()
outcomes: dict[str, str] = {}


def count(name: str) -> None:
    """Count under `name` all further calls of the function that numpy.pad runs for numpy arrays.

    The function object stays the same and gets new code, as in `pad_kernels.patch_numpy`.
    """
    function = np.pad._implementation  # type: ignore[attr-defined]
    kept = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)

    def counted(*args: object, **kwargs: object) -> object:
        calls[name] += 1
        return kept(*args, **kwargs)

    # numpy's code has no free variables, so the code that replaces it cannot have any. It finds `counted` among the globals.
    made: dict[str, FunctionType] = {}
    exec(f"def pad(array, pad_width, mode='constant', **kwargs): return _counted_{name}(array, pad_width, mode, **kwargs)", made)
    function.__globals__[f"_counted_{name}"] = counted
    function.__code__ = made["pad"].__code__


# During its import, pad_kernels copies numpy's function, to run it later. The copy must count these calls as `by_numpy`, so this
# line comes before the import.
count("by_numpy")
if os.environ["PAD_COUNTS_PATCHED"]:
    import pad_kernels

    pad_kernels.patch_numpy()
count("calls")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    test = report.nodeid
    outcome = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
    # A test has several parts. The first part that does not pass decides the outcome.
    if outcomes.get(test, "passed") == "passed":
        outcomes[test] = outcome


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        outcomes[report.nodeid] = "not collected"


def pytest_sessionfinish() -> None:
    result = {"outcomes": outcomes, "calls": calls["calls"], "by_numpy": calls["by_numpy"]}
    Path(os.environ["PAD_COUNTS_FILE"]).write_text(json.dumps(result))
