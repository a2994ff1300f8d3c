"""A plugin of pytest that counts the calls of numpy.pad, and replaces the function on request. See run.py."""

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
    """Count all further calls of the function behind numpy.pad. The function object stays the same, as with a patch."""
    function = np.pad._implementation  # type: ignore[attr-defined]
    kept = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)

    def counted(*args: object, **kwargs: object) -> object:
        calls[name] += 1
        return kept(*args, **kwargs)

    # Exchanged code cannot have free variables.
    made: dict[str, FunctionType] = {}
    exec(f"def pad(array, pad_width, mode='constant', **kwargs): return _counted_{name}(array, pad_width, mode, **kwargs)", made)
    function.__globals__[f"_counted_{name}"] = counted
    function.__code__ = made["pad"].__code__


# The import of pad_kernels keeps numpy's function. Therefore, the function must count before the import.
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
