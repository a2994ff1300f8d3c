"""Tests of memory, of the documentation, and of the contents of a wheel."""

from __future__ import annotations

import doctest
import gc
import importlib.util
import inspect
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pad_kernels
from pad_kernels import _pad_kernels

ARRAY = np.random.default_rng(0).random((20, 30))
OUT = np.empty((24, 34))
PLAN = pad_kernels.Plan(ARRAY.shape, ARRAY.dtype, 2, "edge")


def refused() -> None:
    with pytest.raises(ValueError):
        pad_kernels.pad(ARRAY, -50)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pad_kernels.pad(ARRAY, 2),
        lambda: pad_kernels.pad(ARRAY, ((2, 2), (1, 0)), "reflect", reflect_type="even"),
        lambda: pad_kernels.pad(ARRAY.T, {0: 2}, constant_values=1.5),
        lambda: pad_kernels.pad(ARRAY, 2, constant_values=(1, 1)),
        lambda: pad_kernels.pad(ARRAY, np.array([2, 2]), "wrap", out=OUT),
        lambda: PLAN(ARRAY),
        lambda: PLAN(ARRAY[::-1], OUT),
        lambda: PLAN.input_regions([(0, 3), (1, 4)]).boxes(),
        refused,
    ],
)
def test_nothing_leaks(call: Any) -> None:
    """11,300 calls leak neither memory nor references to the objects that all calls share."""
    shared = [ARRAY.dtype, ARRAY, OUT, PLAN, None]
    for _ in range(100):
        call()
    gc.collect()
    blocks, counts = sys.getallocatedblocks(), [sys.getrefcount(each) for each in shared[:-1]]
    for _ in range(11_200):
        call()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200
    assert [sys.getrefcount(each) - count for each, count in zip(shared, counts)] == [0] * 4


def test_memory_of_the_process_stays() -> None:
    resource = pytest.importorskip("resource")
    shapes = [(n, n + m) for n in range(1, 40) for m in range(30)]

    def many() -> None:
        # There are more shapes than the cache has room for plans.
        for shape in shapes:
            pad_kernels.pad(np.empty(shape), 3, "reflect")

    for _ in range(3):
        many()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        many()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4 << 10


def test_large_fills_are_not_kept() -> None:
    array = np.zeros(2, "S1000000")
    resource = pytest.importorskip("resource")
    pad_kernels.pad(array, 1, constant_values=b"x")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for i in range(50):
        pad_kernels.pad(array, 1, constant_values=b"%d" % i)
        pad_kernels.pad(array, 1, constant_values=(b"%d" % i, b"x"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 << 10


def test_out_allocates_nothing_large() -> None:
    array, out = np.ones((1000, 1000)), np.empty((1010, 1010))
    pad_kernels.pad(array, 5, "wrap", out=out)
    tracemalloc.start()
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        pad_kernels.pad(array, 5, mode, out=out)
        pad_kernels.pad(array.T, 5, mode, out=out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000


def test_documentation_is_complete_and_runs() -> None:
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    objects = [pad_kernels, *(getattr(pad_kernels, name) for name in pad_kernels.__all__)]
    for each in objects:
        assert inspect.getdoc(each), each
    names = [name for name in vars(pad_kernels.Plan) if not name.startswith("_")]
    for name in names:
        assert inspect.getdoc(getattr(pad_kernels.Plan, name)), name
    objects += [getattr(pad_kernels.Plan, name) for name in names]
    for each in objects:
        for test in finder.find(each, str(each), module=False, globs={"__name__": "__main__"}):
            # The examples of the torch operator need torch, which some environments lack.
            if "torch_pad" not in test.name or importlib.util.find_spec("torch"):
                runner.run(test)
    assert runner.tries > 20 and runner.failures == 0


def test_signatures_are_shown() -> None:
    assert str(inspect.signature(pad_kernels.pad)) == (
        "(array, pad_width, mode='constant', *, out=None, interior=None, frame=None, threads=None, dtype=None, **kwargs)"
    )
    assert "pad_width" in str(inspect.signature(pad_kernels.Plan))


def test_the_package_is_typed_and_stable() -> None:
    folder = Path(pad_kernels.__file__).parent
    assert (folder / "py.typed").is_file() and (folder / "_pad_kernels.pyi").is_file()
    # There is one extension for all versions of Python from 3.11 on.
    assert sys.platform == "win32" or ".abi3." in str(_pad_kernels.__file__) or "t-" in str(_pad_kernels.__file__)
