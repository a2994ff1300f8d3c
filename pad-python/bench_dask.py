#!/usr/bin/env python3
"""Measures pad_kernels.dask against dask.array.pad, on a cluster of two worker processes of this machine.

    python bench_dask.py [--rounds 5] [--side 64] [--chunk 16] [--width 3]

An array of four axes of floats lies in the workers' memory. It is padded there, and the result stays there: the time is from the call to
the last chunk. Results are compared before they are timed. Each line has workers of its own, so that their peak memory is that of
its calls; both libraries take turns by lines, and the fastest round counts.
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

# What has no types.
OPTIMIZE: Any = optimize
NUMPY: Any = np.pad

Pad = Callable[..., Any]
PADS: dict[str, Pad] = {"pad_kernels": pad_kernels.dask.pad, "dask": da.pad}


def peak_memory() -> int:
    """Of this process in MiB, as Linux tells it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM"))


def tasks(array: Any) -> int:
    """How many tasks a scheduler sees."""
    return len(dict(OPTIMIZE(array)[0].__dask_graph__()))


def cluster() -> LocalCluster:
    return LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="4GiB", dashboard_address=":0")


def fastest(client: Client, call: Callable[[], Any], rounds: int) -> float:
    """Seconds until all chunks of what the call makes are in memory."""

    def known() -> int:
        count: int = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        return count

    at_first, seconds = known(), []
    for _ in range(rounds):
        start = time.perf_counter()
        made = call().persist()
        wait(made)
        seconds.append(time.perf_counter() - start)
        # The next round would find what is still there.
        del made
        while known() > at_first:
            time.sleep(0.01)
    return min(seconds)


def measure(pad: Pad, mode: str, array: Any, options: argparse.Namespace) -> tuple[float, list[int], list[int]]:
    """The fastest round, and of each worker the memory before and the peak."""
    with cluster() as workers, Client(workers) as client:
        held = array.persist()
        wait(held)
        before = list(client.run(peak_memory).values())
        seconds = fastest(client, lambda: pad(held, options.width, mode), options.rounds)
        return seconds, before, list(client.run(peak_memory).values())


def cost_of_a_task(options: argparse.Namespace) -> float:
    """Seconds a task, of many that have next to nothing to do: each adds a border to a chunk of four numbers."""
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
    # One task a chunk.
    array = da.random.default_rng(0).random(shape, dtype=np.float32, chunks=options.chunk)
    numbers = array.compute()
    print(f"{array.dtype} {array.shape} in {array.npartitions} chunks, {array.nbytes / 1e6:.0f} MB, padded by {options.width}\n")
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
