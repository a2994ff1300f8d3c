"""Tests of threads, and of processes that are forked after a call on several threads."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import pad_kernels
from pad_kernels import _patch

# The array is large enough for several threads.
ARRAY = np.random.default_rng(0).random((700, 700))
EXPECTED = np.pad(ARRAY, 5, "wrap")
PLAN = pad_kernels.Plan(ARRAY.shape, ARRAY.dtype, 5, "wrap")

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def is_padded_on_threads(_: Any = None) -> bool:
    gradient = PLAN.adjoint(EXPECTED, threads=2)
    return (
        np.array_equal(pad_kernels.pad(ARRAY, 5, "wrap", threads=2), EXPECTED)
        and np.array_equal(PLAN(ARRAY, threads=2), EXPECTED)
        and np.array_equal(gradient, PLAN.adjoint(EXPECTED))
    )


def wait_for(child: int, seconds: float) -> int:
    """Return the exit status of a child process. The process is killed after `seconds` seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("the child did not end")


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_pads_on_threads() -> None:
    assert is_padded_on_threads()
    for _ in range(5):
        child = os.fork()
        if not child:
            os._exit(0 if is_padded_on_threads() and is_padded_on_threads() else 1)
        assert wait_for(child, 20) == 0
        # The parent still has its own threads.
        assert is_padded_on_threads()


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_children_that_are_forked_while_others_pad() -> None:
    done = threading.Event()

    def pad() -> None:
        while not done.is_set():
            for threads in (2, 1, -1):
                pad_kernels.pad(ARRAY, 5, "wrap", threads=threads)

    others = [threading.Thread(target=pad) for _ in range(2)]
    for other in others:
        other.start()
    try:
        for _ in range(20):
            child = os.fork()
            if not child:
                os._exit(0 if is_padded_on_threads() else 1)
            assert wait_for(child, 20) == 0
    finally:
        done.set()
        for other in others:
            other.join()


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_that_is_forked_while_another_thread_patches() -> None:
    begun = threading.Event()

    def patches() -> None:
        with _patch._LOCK:
            begun.set()
            time.sleep(0.2)

    other = threading.Thread(target=patches)
    other.start()
    begun.wait()
    child = os.fork()
    if not child:
        with pad_kernels.patch_numpy():
            os._exit(0)
    assert wait_for(child, 20) == 0
    other.join()


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_pool_of_forked_workers() -> None:
    assert is_padded_on_threads()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(is_padded_on_threads, range(8)).get(timeout=60) == [True] * 8


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_workers_of_a_data_loader() -> None:
    torch: Any = pytest.importorskip("torch")
    assert is_padded_on_threads()

    class Padded(torch.utils.data.Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return 6

        def __getitem__(self, i: int) -> bool:
            return is_padded_on_threads()

    loader = torch.utils.data.DataLoader(Padded(), num_workers=2, timeout=60, multiprocessing_context="fork")
    assert all(bool(batch.all()) for batch in loader)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted as Linux does")
def test_no_more_threads_than_processors() -> None:
    most = len(os.sched_getaffinity(0))
    before = len(os.listdir("/proc/self/task"))
    start = time.monotonic()
    for threads in (2000, 10**6, -1):
        assert np.array_equal(pad_kernels.pad(ARRAY, 5, "wrap", threads=threads), EXPECTED)
    assert len(os.listdir("/proc/self/task")) - before <= most
    assert time.monotonic() - start < 5
