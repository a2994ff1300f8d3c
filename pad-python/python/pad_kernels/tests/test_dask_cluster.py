"""Tests of dask arrays on worker processes, and in stores of zarr. In one test, a worker dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.array as da
from distributed import Client, LocalCluster, wait

import pad_kernels.dask

pad: Any = pad_kernels.dask.pad
map_halo: Any = pad_kernels.dask.map_halo
numpy_pad: Any = np.pad

pytestmark = pytest.mark.cluster
MODES = ["constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean", "minimum"]


@contextmanager
def two_workers() -> Iterator[Client]:
    """Start two worker processes with limited memory, and yield their client."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="450MiB", dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Yield the client of two workers that no test kills."""
    with two_workers() as client:
        yield client


def test_every_mode(client: Client) -> None:
    array = np.random.default_rng(0).random((20, 30, 9))
    x = da.from_array(array, chunks=(7, 7, 4)).persist()
    # Some widths are longer than a chunk, and one is longer than the array.
    widths = ((2, 9), (70, 3), (0, 1))
    for mode in MODES:
        found = pad(x, widths, mode).compute()
        np.testing.assert_allclose(found, numpy_pad(array, widths, mode), rtol=1e-14 if mode in ("mean", "linear_ramp") else 0)
    odd = pad(x, widths, "reflect", reflect_type="odd").compute()
    np.testing.assert_array_equal(odd, numpy_pad(array, widths, "reflect", reflect_type="odd"))
    sides = ((1, 2), (3, 4), (5, 6))
    ours = pad(x, 2, constant_values=sides).compute()
    np.testing.assert_array_equal(ours, numpy_pad(array, 2, constant_values=sides))
    halo = map_halo(lambda box: box[:-2] + box[2:], x, {0: 1}, "wrap", trim=False, dtype=float).compute()
    np.testing.assert_array_equal(halo, np.roll(array, 1, 0) + np.roll(array, -1, 0))


def slow(chunk: Any) -> Any:
    time.sleep(0.03)
    return chunk + 1


@pytest.mark.parametrize("mode", ["wrap", "mean"])
def test_a_worker_that_dies(mode: str) -> None:
    with two_workers() as client:
        kill_one(client, mode)


def kill_one(client: Client, mode: str) -> None:
    array = np.random.default_rng(1).random((60, 60))
    padded = pad(da.from_array(array, chunks=5).map_blocks(slow, dtype=float), 7, mode)
    workers = client.run(os.getpid)
    result = padded.map_blocks(slow, dtype=float).persist()
    futures = client.futures_of(result)

    def done() -> int:
        return sum(future.done() for future in futures)

    start = time.monotonic()
    while done() < len(futures) // 4:
        assert time.monotonic() - start < 60
        time.sleep(0.01)
    os.kill(next(iter(workers.values())), signal.SIGKILL)
    assert done() < len(futures)
    np.testing.assert_allclose(result.compute(), numpy_pad(array + 1, 7, mode) + 1, rtol=1e-14)


def test_stores_of_zarr(client: Client, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    array = np.random.default_rng(2).integers(0, 1000, (50, 60, 30), dtype="i4")
    zarr.create_array(tmp_path / "in.zarr", data=array, chunks=(16, 16, 16))
    x = da.from_zarr(tmp_path / "in.zarr")
    for mode in ("constant", "reflect", "symmetric", "wrap", "maximum"):
        # In a store, all chunks have one size.
        padded = pad(x, ((5, 40), (3, 3), (0, 70)), mode, chunks=16)
        padded.to_zarr(tmp_path / f"{mode}.zarr")
        stored = zarr.open_array(tmp_path / f"{mode}.zarr", mode="r")
        assert stored.chunks == (16, 16, 16)
        np.testing.assert_array_equal(stored[...], numpy_pad(array, ((5, 40), (3, 3), (0, 70)), mode))


def test_more_than_the_memory_of_a_worker(client: Client, tmp_path: Path) -> None:
    """Pad an array of 484 MB, which exceeds the memory of a worker. Tasks generate the array, and write the result to a store."""
    zarr = pytest.importorskip("zarr")
    at = da.arange(22_000, chunks=2000, dtype="i4")
    x = ((at[:, None] * 3 + at) % 251).astype("u1")
    pad(x, 100, "reflect", chunks=2000).to_zarr(tmp_path / "large.zarr")
    stored = zarr.open_array(tmp_path / "large.zarr", mode="r")
    assert stored.shape == (22_200, 22_200)
    for i, j in [(0, 0), (22_100, 50), (21_900, 22_000), (15_000, 7)]:
        rows, columns = np.arange(i, i + 100)[:, None] - 100, np.arange(j, j + 100) - 100
        rows, columns = (np.where(at < 0, -at, np.where(at < 22_000, at, 43_998 - at)) for at in (rows, columns))
        np.testing.assert_array_equal(stored[i : i + 100, j : j + 100], (rows * 3 + columns) % 251)


def test_plans_are_made_once_in_a_worker(client: Client) -> None:
    def forget() -> None:
        from pad_kernels.dask._work import _plan

        _plan.cache_clear()

    def plans() -> int:
        from pad_kernels.dask._work import _plan

        return int(_plan.cache_info().misses)

    client.run(forget)
    x = da.ones((200, 200), chunks=10)
    wait(pad(x, 3, "symmetric").persist())
    # There are eight plans, for the four edges and the four corners. Each of the two workers makes a plan at most once.
    assert 8 <= sum(client.run(plans).values()) <= 16
