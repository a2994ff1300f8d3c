"""Tests of dask arrays, which are padded chunk by chunk. The results must equal those of numpy."""

from __future__ import annotations

import doctest
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("dask.array")

import dask
import dask.array as da
from dask._task_spec import Alias
from dask.base import optimize, tokenize
from dask.core import flatten
from dask.delayed import delayed
from dask.local import get_sync

import pad_kernels.dask
from pad_kernels.dask._work import _plan

# The tests also make calls that the stubs do not allow.
pad: Any = pad_kernels.dask.pad
map_halo: Any = pad_kernels.dask.map_halo
numpy_pad: Any = np.pad

OPTIMIZE: Any = optimize
COPYING = ["constant", "edge", "reflect", "symmetric", "wrap"]
STATISTICS = ["maximum", "mean", "median", "minimum"]


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


def chunked(data: st.DataObject, length: int) -> tuple[int, ...]:
    """Return random chunks of an axis. Some of them may have no elements."""
    chunks: list[int] = []
    while sum(chunks) < length:
        chunks.append(data.draw(st.integers(0 if chunks else 1, min(5, length - sum(chunks)))))
    return tuple(chunks)


def arguments(data: st.DataObject, mode: str, rank: int) -> dict[str, Any]:
    def pairs(least: int) -> Any:
        number = st.integers(least, 9)
        each = st.lists(st.tuples(number, number), min_size=rank, max_size=rank)
        return data.draw(st.one_of(number, st.tuples(number, number), each))

    if not data.draw(st.booleans()):
        return {}
    if mode in STATISTICS:
        return {"stat_length": pairs(1)}
    return {
        "constant": {"constant_values": pairs(0)},
        "linear_ramp": {"end_values": pairs(0)},
        "reflect": {"reflect_type": "odd"},
        "symmetric": {"reflect_type": "odd"},
    }.get(mode, {})


def same(ours: Any, theirs: Any, mode: str) -> None:
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    if mode == "linear_ramp":
        # Results may be rounded differently, because rounding in numpy depends on the other ramps of a side.
        most = 1 if ours.dtype.kind in "iu" else 64 * np.finfo(ours.dtype).eps
        assert np.abs(ours.astype(complex) - theirs.astype(complex)).max() <= most
    elif mode == "mean" and ours.dtype.kind in "fc":
        np.testing.assert_allclose(ours, theirs, rtol=8 * np.finfo(ours.dtype).eps)
    else:
        np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_random_calls(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 11), min_size=1, max_size=3))
    dtype = data.draw(st.sampled_from(["f4", "f8", "i2", "u1", "c8"]))
    array = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 50, shape).astype(dtype)
    x = da.from_array(array, chunks=tuple(chunked(data, length) for length in shape))
    side = st.one_of(st.sampled_from([0, 0, 1, 2, 3]), st.integers(0, 25 // len(shape)))
    widths = data.draw(st.lists(st.tuples(side, side), min_size=len(shape), max_size=len(shape)))
    mode = data.draw(st.sampled_from([*COPYING, *STATISTICS, "linear_ramp"]))
    given = arguments(data, mode, len(shape))
    if mode == "median" and data.draw(st.booleans()):
        x = x.rechunk(array.shape)
    theirs = numpy_pad(array, widths, mode, **given)
    try:
        ours = pad(x, widths, mode, chunks=data.draw(st.sampled_from([None, None, 3, 4])), **given)
    except NotImplementedError as error:
        assert mode == "median" and "rechunk" in str(error)
        return
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours._meta.dtype == theirs.dtype
    keys = list(flatten(ours.__dask_keys__()))
    for (_, *index), chunk in zip(keys, get_sync(dict(ours.__dask_graph__()), keys)):
        assert chunk.shape == tuple(chunks[i] for chunks, i in zip(ours.chunks, index))
    same(ours.compute(), theirs, mode)
    # The function doubles the elements. After the halo is cut off, the result is twice the array.
    haloed = map_halo(lambda box: box * 2, x, widths, mode, mode_kwargs=given, dtype=dtype)
    assert haloed.chunks == x.chunks
    np.testing.assert_array_equal(haloed.compute(), array * 2)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_halos(data: st.DataObject) -> None:
    """A chunk with its halo equals the same region of the padded array."""
    shape = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=2))
    array = np.arange(np.prod(shape)).reshape(shape)
    x = da.from_array(array, chunks=tuple(chunked(data, length) for length in shape))
    depth = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=len(shape), max_size=len(shape)))
    mode = data.draw(st.sampled_from([*COPYING, "maximum", "mean"]))
    padded = numpy_pad(array, depth, mode)
    seen = []
    taken = map_halo(lambda box: seen.append(box) or box, x, depth, mode, dtype=int)  # type: ignore[func-returns-value]
    bounds = [np.cumsum([0, *chunks]) for chunks in x.chunks]
    for index in np.ndindex(*x.numblocks):
        seen.clear()
        taken.blocks[index].compute()
        box = tuple(slice(b[i], b[i + 1] + low + high) for b, i, (low, high) in zip(bounds, index, depth))
        np.testing.assert_array_equal(seen[-1], padded[box])


def tasks(array: Any) -> dict[Any, Any]:
    return dict(array.__dask_graph__().layers[array.name])


def test_a_task_for_each_chunk_and_none_for_chunks_without_a_border() -> None:
    x = da.ones((40, 40), chunks=10)
    for mode in COPYING:
        made = tasks(pad(x, 3, mode))
        assert len(made) == 16
        inner = {(i, j) for i in (1, 2) for j in (1, 2)}
        for (_, *index), task in made.items():
            assert isinstance(task, Alias) == (tuple(index) in inner)
            if tuple(index) in inner:
                assert task.target == (x.name, *index)
    # The second chunk of the result has no border, so it is the chunk of the array itself.
    kept = np.arange(12)
    x = da.from_array(kept, chunks=4).map_blocks(lambda chunk: chunk)
    graph = pad(x, 1, "wrap").__dask_graph__()
    (name,) = graph.layers.keys() - x.__dask_graph__().layers.keys()
    padded, chunk = get_sync(dict(graph), [(name, 1), (x.name, 1)])
    assert padded is chunk


def test_only_chunks_that_are_needed_are_asked_for() -> None:
    x = da.ones((100, 100), chunks=10)
    assert len({index for task in tasks(pad(x, 3, "reflect")).values() for index in task.dependencies}) == 100
    for mode, most in {"reflect": 1, "edge": 1, "symmetric": 1, "constant": 1, "wrap": 4}.items():
        assert max(len(task.dependencies) for task in tasks(pad(x, 3, mode)).values()) == most, mode
    # A chunk that only holds fill needs no chunk of the array.
    fill = pad(x, ((30, 0), (0, 0)))
    assert fill.chunks[0][:3] == (10, 10, 10)
    assert not any(task.dependencies for key, task in tasks(fill).items() if key[1] < 3)


def test_statistics_are_trees() -> None:
    x = da.ones((640,), chunks=10)
    dependencies = pad(x, 5, "mean").__dask_graph__().get_all_dependencies()
    assert max(map(len, dependencies.values())) <= 16


def test_chunks_of_the_result() -> None:
    x = da.ones(64, chunks=16)
    expected: list[tuple[Any, tuple[int, ...]]] = [
        (3, (19, 16, 16, 19)),
        (8, (24, 16, 16, 24)),
        (9, (9, 16, 16, 16, 16, 9)),
        ((40, 0), (14, 13, 13, 16, 16, 16, 16)),
    ]
    for width, chunks in expected:
        assert pad(x, width, "edge").chunks == (chunks,)
    assert pad(x, 3, "edge", chunks=20).chunks == ((20, 20, 20, 10),)
    # The time does not depend on the default chunks, of which there would be 10**12.
    assert pad(da.ones(2, chunks=1), (0, 10**12 - 2), chunks={0: 10**11}).chunks == ((10**11,) * 10,)
    assert pad(x, 3, "edge", chunks=((3, 16, 16, 16, 16, 3),)).chunks == ((3, 16, 16, 16, 16, 3),)
    np.testing.assert_array_equal(pad(x, 3, "wrap", chunks=20), np.ones(70))
    assert pad(da.ones((3, 2), chunks=(1, 2)), ((0, 1), (0, 0)), chunks=-1).chunks == ((4,), (2,))
    # Axes that the chunks do not name have the default chunks.
    y = da.ones((10, 12), chunks=(2, 3))
    for named in ({1: 4}, {-1: 4}, {0: None, 1: 4}, (None, 4), [None, 4]):
        assert pad(y, 1, chunks=named).chunks == ((3, 2, 2, 2, 3), (4, 4, 4, 2))
        assert pad(y, 0, chunks=named).chunks == ((2,) * 5, (4, 4, 4))
    assert pad(y, 1, chunks={}).chunks == pad(y, 1).chunks
    # Only one border joins a single chunk.
    assert pad(da.ones(16, chunks=16), 8, "edge").chunks == ((24, 8),)
    # The border joins a short last chunk.
    assert pad(da.ones(33, chunks=16), (0, 20), "edge").chunks == ((16, 16, 21),)
    assert pad(da.ones(0, chunks=5), 2).compute().tolist() == [0] * 4


def test_graphs_are_data() -> None:
    x = da.random.default_rng(0).random((30, 40), chunks=10)
    calls: list[tuple[str, dict[str, Any]]] = [("wrap", {}), ("mean", {})]
    calls += [("constant", {"constant_values": (1, 2)}), ("reflect", {"reflect_type": "odd"})]
    for mode, given in calls:
        first, again = pad(x, (2, 3), mode, **given), pad(x, ((2, 3), (2, 3)), mode, **given)
        # Equal calls return arrays with equal names, and other calls do not.
        assert first.name == again.name and first.name != pad(x, 2, mode, **given).name
        layer = first.__dask_graph__().layers[first.name]
        assert not layer.is_materialized()
        size = len(pickle.dumps(layer))
        assert not pickle.loads(pickle.dumps(layer)).is_materialized() and size < 4000
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(first)), first)
        assert hash(layer.work) == hash(again.__dask_graph__().layers[again.name].work)
        for task in tasks(first).values():
            assert len(pickle.dumps(task)) < 1500 and tokenize(task) == tokenize(pickle.loads(pickle.dumps(task)))
    names = {pad(x, 2, mode).name for mode in [*COPYING, "empty", "mean", "linear_ramp"]}
    names |= {pad(x, 2, constant_values=value).name for value in (1, 2, (1, 2), ((1, 2), (3, 4)))}
    names |= {pad(x, 2, "reflect", reflect_type="odd").name, pad(x, 2, "edge", chunks=7).name}
    assert len(names) == 14


def test_names_are_those_of_another_process() -> None:
    call = "pad(da.ones((9, 9), chunks=3), 2, 'constant', constant_values=3).name"
    code = f"import dask.array as da; from pad_kernels.dask import pad; print({call})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == eval(call)


def test_a_million_chunks_are_a_few_numbers() -> None:
    x = da.zeros((10**6, 10**6), chunks=1000)
    padded = pad(x, 5, "reflect")
    assert padded.npartitions == 10**6 and len(pickle.dumps(padded.__dask_graph__().layers[padded.name])) < 200_000
    np.testing.assert_array_equal(padded[:7, -7:].compute(), np.zeros((7, 7)))
    assert not padded.__dask_graph__().layers[padded.name].is_materialized()
    # This call is fast, because its time is proportional to the number of chunks along the axis.
    assert pad(da.zeros(20_000, chunks=1), 1).numblocks == (20_002,)


def test_plans_are_made_once_for_boxes_that_differ_in_place_alone() -> None:
    _plan.cache_clear()
    pad(da.ones((50, 50, 50), chunks=10), 2, "reflect").compute()
    found = _plan.cache_info()
    # On each axis, a box is at the start, at the end, or between. A box that is between on all axes needs no plan.
    assert found.misses == 3**3 - 1 and found.hits + found.misses == 5**3 - 3**3


def test_graphs_go_through_what_dask_does_to_graphs() -> None:
    array = np.arange(100.0).reshape(10, 10)
    x = da.from_array(array, chunks=4)
    expected = numpy_pad(array, 3, "wrap")
    y = pad(x, 3, "wrap")
    np.testing.assert_array_equal(OPTIMIZE(y)[0], expected)
    np.testing.assert_array_equal((pad(pad(x, 1, "edge") + 1, 2, "reflect"))[3:-3, 3:-3], array + 1)
    np.testing.assert_array_equal(y.persist(), expected)
    with dask.config.set({"optimization.fuse.active": False}):
        np.testing.assert_array_equal(y, expected)
    assert y.rechunk(5).sum().compute() == expected.sum()


def test_nothing_to_pad() -> None:
    x = da.ones((4, 5), chunks=2)
    for mode in [*COPYING, *STATISTICS, "empty", "linear_ramp"]:
        assert pad(x, 0, mode) is x
    assert pad(x, 0, chunks=5).chunks == ((4,), (5,))
    # Values of other types become dask arrays.
    assert pad([1, 2, 3], 1).compute().tolist() == [0, 1, 2, 3, 0]
    assert pad(da.asarray(7), 0).compute() == 7


def test_unknown_chunk_sizes() -> None:
    array = np.arange(20.0)
    x = da.from_array(array, chunks=6)
    x = x[x % 3 != 1]
    with pytest.raises(ValueError, match=r"axis 0 is padded.*unknown(.|\n)*compute_chunk_sizes"):
        pad(x, 1)
    # An axis without padding may have an unknown length.
    whole = np.stack([array, array + 1, array + 2])
    both = da.from_array(whole, chunks=(2, 6))[:, da.from_array(array % 3 != 1, chunks=6)]
    expected = whole[:, array % 3 != 1]
    for mode in [*COPYING, "linear_ramp", "maximum", "mean"]:
        for width in (1, 2, 9):
            padded = pad(both, ((width, 1), (0, 0)), mode)
            same(padded.compute(), numpy_pad(expected, ((width, 1), (0, 0)), mode), mode)
            assert np.isnan(padded.shape[1])
    for named in ({0: 4}, (4, None)):
        padded = pad(both, ((3, 2), (0, 0)), "edge", chunks=named)
        assert padded.chunks[0] == (4, 4)
        np.testing.assert_array_equal(padded.compute(), numpy_pad(expected, ((3, 2), (0, 0)), "edge"))
    halo = map_halo(lambda box: box[1:-1], both, {0: 1}, "edge", trim=False, dtype=float)
    np.testing.assert_array_equal(halo.compute(), expected)


class Other(np.ndarray):
    """A subclass of numpy arrays."""


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: pad(x, 1, lambda *_: None), NotImplementedError, "functions as modes"),
        (lambda x: pad(x, 1, "median"), NotImplementedError, "axis 1 they lie in 3 chunks"),
        (lambda x: pad(x, 1, "circular"), ValueError, "mode 'circular' is not supported: the modes are constant, .*minimum"),
        (lambda x: map_halo(np.sin, x, 1, None), ValueError, "mode None is not supported: the modes are"),
        (lambda x: pad(x, 1, "edge", constant_values=1), ValueError, "unsupported keyword arguments for mode 'edge'"),
        (lambda x: pad(x, 1, "reflect", reflect_type="new"), ValueError, "'even' or 'odd', not 'new'"),
        (lambda x: pad(x, -1), ValueError, "pad_width is -1: index can't contain negative values"),
        (lambda x: pad(x, 1.5), TypeError, "pad_width is 1.5: `pad_width` must be of integral type"),
        (lambda x: pad(x, {5: 1}, "edge"), ValueError, "pad_width names axis 5, and the array has 2 axes"),
        (lambda x: map_halo(np.sin, x, {0: (1, -2)}), ValueError, r"depth is {0: \(1, -2\)}: index can't contain neg"),
        (lambda x: map_halo(np.sin, x, None), TypeError, "depth is None: `depth` must be of integral type"),
        (lambda x: map_halo(np.sin, x, 1, mode_kwargs=3), TypeError, "mode_kwargs is 3: give a dict"),
        (lambda x: pad(x, ((1, 2), (3, 4), (5, 6))), ValueError, "broadcast"),
        (lambda x: pad(x, 1, constant_values=(1, 2, 3)), ValueError, r"constant_values is \(1, 2, 3\): give one value"),
        (lambda x: pad(x, 1, constant_values="x"), ValueError, "constant_values is 'x': give one value that dtype float64 holds"),
        (lambda x: pad(x, 1, "maximum", stat_length=0), ValueError, "axis 0: stat_length of 0"),
        (lambda x: pad(x, 1, "mean", stat_length=0), NotImplementedError, "axis 0: stat_length of 0"),
        (lambda x: pad(x, 1, ["edge", "wrap"], interior=1), ValueError, "unsupported keyword arguments for mode .*: {'interior'}"),
        (lambda x: pad(x, 1, "mean", stat_length=-1), ValueError, "can't contain negative values: stat_length is -1"),
        (lambda x: pad(x[:, :0], 1, "edge"), ValueError, "can't extend empty axis 1"),
        (lambda x: pad(x, 1, chunks=((3, 3), (3, 3))), ValueError, "do not add up"),
        (lambda x: pad(x, 1, chunks={5: 4}), ValueError, "chunks names axis 5, and the array has 2 axes"),
        (lambda x: pad(x, 0, chunks={"a": 4}), TypeError, "chunks: key 'a' is no axis"),
        (lambda x: pad(x.astype(object), 1), TypeError, "dtype object"),
        (lambda x: pad(x.map_blocks(np.ma.masked_array), 1), TypeError, "MaskedArray"),
        (lambda x: pad(x.map_blocks(lambda chunk: chunk.view(Other)), 1), TypeError, "Other"),
        (lambda x: pad(x.astype("V4"), 1, "mean"), NotImplementedError, "mode 'mean' is not done for chunks of dtype"),
        (lambda x: map_halo(lambda box: box[1:], x, 1).compute(), ValueError, "the function made"),
        (lambda x: map_halo(lambda box: box, x, 1, trim=False).compute(), ValueError, r"has to make \(4, 4\)"),
        (lambda x: map_halo(lambda box: 1 / 0, x, 1), ValueError, "dtype or meta"),
        (lambda x: map_halo(3, x, 1), TypeError, "function is 3, which cannot be called"),
        (lambda x: pad_kernels.pad(x, (-1, 2), "wrap"), ValueError, r"pad_width is \(-1, 2\), and a dask.array.core.Array"),
    ],
)
def test_refused_by_name(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call(da.ones((12, 12), chunks=4))


def test_errors_of_functions_are_causes() -> None:
    with pytest.raises(ValueError) as caught:
        map_halo(lambda box: 1 / 0, da.ones(12, chunks=4), 1)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("mode", STATISTICS)
@pytest.mark.parametrize("dtype", [">i4", ">f4", ">f8", ">c8"])
def test_statistics_keep_the_byte_order(mode: Any, dtype: str) -> None:
    array = np.arange(6).astype(dtype).reshape(2, 3)
    for given in ({}, {"stat_length": 1}):
        found = pad(da.from_array(array, chunks=(2, 3) if mode == "median" else 1), 1, mode, **given)
        assert found.compute().dtype == found.dtype == array.dtype
        np.testing.assert_array_equal(found.compute(), numpy_pad(array, 1, mode, **given))


@pytest.mark.parametrize("dtype", ["?", "M8[s]", "m8[D]", "U2", "S3", "V5", ">i4", "g", [("a", "u1"), ("b", "<f4")]], ids=str)
def test_dtypes(dtype: Any) -> None:
    dtype = np.dtype(dtype)
    numbers = np.random.default_rng(0).integers(1, 9, (7, 8))
    array = numbers.astype("U1").astype(dtype) if dtype.kind in "US" else numbers.astype("u1").astype(dtype)
    x = da.from_array(array, chunks=3)
    for mode in COPYING:
        np.testing.assert_array_equal(pad(x, (4, 1), mode).compute(), numpy_pad(array, (4, 1), mode))
    if dtype.names:
        # The order of the fields in memory is another.
        swapped = array[["b", "a"]]
        np.testing.assert_array_equal(pad(da.from_array(swapped, chunks=3), 1, "edge").compute(), numpy_pad(swapped, 1, "edge"))
    if dtype.kind in "bM":
        np.testing.assert_array_equal(pad(x, 2, "maximum").compute(), numpy_pad(array, 2, "maximum"))
    value = array[0, 0]
    np.testing.assert_array_equal(pad(x, 1, constant_values=value).compute(), numpy_pad(array, 1, constant_values=value))


def test_small_floats() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.arange(20).astype(ml_dtypes.bfloat16)
    x = da.from_array(array, chunks=6)
    for given in ({"mode": "wrap"}, {"constant_values": 1.5}, {"constant_values": (1.5, 2.5)}):
        ours = pad(x, 7, **given).compute()
        assert ours.dtype == array.dtype and ours.tobytes() == numpy_pad(array, 7, **given).tobytes()


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("chunks", [1, 2, None])
def test_odd_borders_overflow_as_in_numpy(mode: Any, chunks: Any) -> None:
    array = np.array([1, 4e4, 6e4, 4e4], "f2")
    for given in (array, array[:2], array[::-1], array[1::-1]):
        for widths in np.ndindex(4, 4):
            with np.errstate(over="ignore", invalid="ignore"):
                theirs = numpy_pad(given, widths, mode, reflect_type="odd")
            ours = pad(da.from_array(given, chunks=1), widths, mode, reflect_type="odd", chunks=chunks)
            np.testing.assert_array_equal(ours.compute(), theirs)


def test_empty_leaves_only_the_border_to_chance() -> None:
    array = np.arange(30.0).reshape(5, 6)
    padded = pad(da.from_array(array, chunks=2), ((3, 1), (0, 4)), "empty")
    assert padded.shape == (9, 10)
    np.testing.assert_array_equal(padded[3:-1, :-4].compute(), array)


def test_halos_replace_overlaps() -> None:
    rng = np.random.default_rng(0)
    array = rng.random((30, 40))
    x = da.from_array(array, chunks=8)

    def smooth(box: Any, weight: float) -> Any:
        return box[1:-1, 1:-1] * weight + box[:-2, 1:-1] + box[2:, 1:-1]

    for mode in COPYING:
        expected = smooth(numpy_pad(array, 1, mode), 3.0)
        ours = map_halo(smooth, x, 1, mode, trim=False, dtype=float, weight=3.0)
        np.testing.assert_array_equal(ours.compute(), expected)
        assert len(tasks(ours)) == x.npartitions
    # This halo is longer than the array, and is cut off again.
    sums = map_halo(lambda box: np.cumsum(box, axis=0), x, ((45, 0), (0, 0)), "wrap", dtype=float)
    np.testing.assert_allclose(sums.compute()[:8], np.cumsum(numpy_pad(array, ((45, 0), (0, 0)), "wrap"), axis=0)[45:53])
    # The result has the dtype that the function returns.
    assert map_halo(lambda box: box > 0.5, x, 1).dtype == bool
    assert map_halo(len, x, 0, dtype="i4").dtype == "i4"


def test_functions_receive_the_results_of_collections() -> None:
    x = da.arange(12, chunks=4)
    given: list[Any] = [da.ones(3, chunks=1), [da.ones(3), 2], {"a": delayed(np.ones)(3)}]
    takes: list[Any] = [lambda k: k, lambda k: k[0], lambda k: k["a"]]
    for k, take in zip(given, takes):
        ours = map_halo(lambda box, k, more: box + take(k).sum() + more, x, 1, dtype=float, k=k, more=1)
        assert ours.compute().tolist() == [*range(4, 16)]
        key = ours.__dask_graph__().layers[ours.name].computed
        assert all(key in task.dependencies for task in tasks(ours).values()) and len(tasks(ours)) == 3
        assert ours[:2].compute().tolist() == [4, 5]
    assert map_halo(lambda box, k: box + k.sum(), x, 1, k=da.ones(3)).dtype == float


def test_threads() -> None:
    array = np.random.default_rng(0).random((60, 60, 20))
    x = da.from_array(array, chunks=7)
    for mode in [*COPYING, "mean", "linear_ramp"]:
        ours = pad(x, ((9, 2), (0, 70), (3, 3)), mode).compute(scheduler="threads", num_workers=4)
        same(ours, numpy_pad(array, ((9, 2), (0, 70), (3, 3)), mode), mode)


def test_xarray_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    xarray = pytest.importorskip("xarray")
    array = np.arange(60.0).reshape(6, 10)
    field = xarray.DataArray(da.from_array(array, chunks=4), dims=("lat", "lon"))
    # xarray calls `dask.array.pad`, so the test replaces this function. At the end of the test, pytest restores it.
    monkeypatch.setattr(dask.array, "pad", pad_kernels.dask.pad)
    for mode in ("wrap", "reflect", "constant"):
        given = {"constant_values": -1} if mode == "constant" else {}
        padded = field.pad(lon=(12, 3), mode=mode, **given)
        assert type(padded.data.__dask_graph__().layers[padded.data.name]).__module__ == "pad_kernels.dask._layer"
        expected = numpy_pad(array, ((0, 0), (12, 3)), mode, **given)
        np.testing.assert_array_equal(padded.values, expected)
    odd = field.pad(lat=2, mode="reflect", reflect_type="odd")
    np.testing.assert_array_equal(odd.values, numpy_pad(array, ((2, 2), (0, 0)), "reflect", reflect_type="odd"))
    np.testing.assert_array_equal(np.pad(field.data, 2, "wrap"), numpy_pad(array, 2, "wrap"))


def test_the_documentation_runs() -> None:
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for each in (pad_kernels.dask, pad, map_halo):
        for test in finder.find(each, str(each), module=False, globs={}):
            runner.run(test)
    assert runner.tries > 10 and runner.failures == 0


# This program replaces `dask.array.pad`, and runs dask's own tests of `pad`, including those that dask skips.
HOST = """
import json, sys
import dask.array
import pad_kernels.dask
import pytest

dask.array.pad = pad_kernels.dask.pad
import dask.array.tests.test_creation as tests

for mark in tests.test_pad_3d_data.pytestmark:
    if mark.args[0] == "mode":
        mark.args[1][:] = [getattr(mode, "values", (mode,))[0] for mode in mark.args[1]]

class Plugin:
    outcomes = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid.split("::", 1)[1]] = report.outcome

pytest.main([tests.__file__, "-q", "-k", "test_pad", "-p", "no:cacheprovider", "--import-mode=importlib"], plugins=[Plugin()])
print("\\n" + json.dumps(Plugin.outcomes))
"""


def test_dasks_own_tests() -> None:
    import json

    done = subprocess.run([sys.executable, "-c", HOST], capture_output=True, text=True, check=False)
    outcomes: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    # These tests compare uninitialised memory.
    judged = {test: outcome for test, outcome in outcomes.items() if not test.startswith("test_pad_3d_data[empty")}
    failed = {test for test, outcome in judged.items() if outcome != "passed"}
    print(f"{len(judged)} of dask's tests, {len(failed)} did not pass")
    assert len(judged) >= 236, done.stdout
    # pad_kernels refuses functions as modes.
    assert failed == {"test_pad_udf[kwargs0]", "test_pad_udf[kwargs1]"}, done.stdout


def test_masks_that_only_chunks_have() -> None:
    masked: Any = np.ma.array(np.arange(5.0), mask=[False, True, False, False, False])
    parts = [da.from_delayed(delayed(lambda part=part: part)(), part.shape, float) for part in (masked[:3], masked[3:])]
    x = da.concatenate(parts)
    for padded in (pad(x, 1, "edge"), pad(x, 1, "mean"), map_halo(lambda a: a, x, 1)):
        with pytest.raises(TypeError, match="a chunk is a MaskedArray, whose mask would be lost"):
            padded.compute(scheduler="sync")
