#!/usr/bin/env python3
"""Measures pad_kernels.dask against dask.array.pad, on a cluster of two worker processes of this machine.

    python bench_dask.py [--rounds 5] [--side 64] [--chunk 16] [--width 3]

The array is in the memory of the workers, and so is the result. It has four axes of floats. The time is measured from the call
to the last chunk. The script compares results before it times them. It starts new workers for each line, so that their peak
memory belongs to the calls of this line. The lines alternate between both libraries, and the fastest round counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask.base import optimize
from distributed import Client, LocalCluster, wait

import pad_kernels.dask

# This function of dask has no type annotations.
OPTIMIZE: Any = optimize
NUMPY: Any = np.pad

Pad = Callable[..., Any]
PADS: dict[str, Pad] = {"pad_kernels": pad_kernels.dask.pad, "dask": da.pad}


def peak_memory() -> int:
    """Return the peak memory of this process in MiB, as Linux reports it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM"))


def tasks(array: Any) -> int:
    """Return the number of tasks in the graph that a scheduler receives."""
    return len(dict(OPTIMIZE(array)[0].__dask_graph__()))


def cluster() -> LocalCluster:
    return LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="4GiB", dashboard_address=":0")


def fastest(client: Client, call: Callable[[], Any], rounds: int) -> float:
    """Return the time of the fastest round in seconds. A round ends when all chunks of the result are in memory."""

    def known() -> int:
        count: int = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        return count

    at_first, seconds = known(), []
    for _ in range(rounds):
        start = time.perf_counter()
        made = call().persist()
        wait(made)
        seconds.append(time.perf_counter() - start)
        # The scheduler must forget the result. Otherwise the next round would find it in memory.
        del made
        while known() > at_first:
            time.sleep(0.01)
    return min(seconds)


def measure(pad: Pad, mode: str, array: Any, options: argparse.Namespace) -> tuple[float, list[int], list[int]]:
    """Return the time of the fastest round, and the memory of each worker before the calls and at the peak."""
    with cluster() as workers, Client(workers) as client:
        held = array.persist()
        wait(held)
        before = list(client.run(peak_memory).values())
        seconds = fastest(client, lambda: pad(held, options.width, mode), options.rounds)
        return seconds, before, list(client.run(peak_memory).values())


def cost_of_a_task(options: argparse.Namespace) -> float:
    """Return the seconds per task, for many tasks with little work. Each task adds a border to a chunk of four numbers."""
    count = 4000
    with cluster() as workers, Client(workers) as client:
        held = da.zeros((count, 4), chunks=(1, 4)).persist()
        wait(held)
        return fastest(client, lambda: pad_kernels.dask.pad(held, ((0, 0), (1, 1)), "edge"), options.rounds) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("--chunk", type=int, default=16)
    parser.add_argument("--width", type=int, default=3)
    options = parser.parse_args()
    shape = (options.side,) * 4
    # The graph of this array has one task per chunk.
    array = da.random.default_rng(0).random(shape, dtype=np.float32, chunks=options.chunk)
    numbers = array.compute()
    size = f"{array.npartitions} chunks, {array.nbytes / 1e6:.0f} MB"
    print(f"{array.dtype} {array.shape} in {size}, padded by {options.width}\n")
    print("| mode | | tasks | chunks | seconds | a worker before, MiB | its peak, MiB | ratio of times |")
    print("|---|---|---|---|---|---|---|---|")
    for mode in ("wrap", "reflect"):
        expected = NUMPY(numbers, options.width, mode)
        ours = None
        for name, pad in PADS.items():
            padded = pad(array, options.width, mode)
            assert np.array_equal(padded.compute(scheduler="threads"), expected), (name, mode)
            seconds, before, peaks = measure(pad, mode, array, options)
            ours = ours or seconds
            count = tasks(padded)
            print(
                f"| {mode} | {name} | {count} | {padded.npartitions} | {seconds:.3g} | {max(before)} | {max(peaks)} |"
                f" {seconds / ours:.2g} |",
                flush=True,
            )
    print(f"\na task that does next to nothing: {cost_of_a_task(options) * 1e6:.0f} us")


if __name__ == "__main__":
    main()
