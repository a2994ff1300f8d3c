"""The graph of a padded array."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Set
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, TypeAlias

from dask._task_spec import Alias, GraphNode, Task, TaskRef
from dask.highlevelgraph import Layer, MaterializedLayer

from pad_kernels.dask._axis import Range
from pad_kernels.dask._work import Padding

# Sides describe an array of elements or statistics. An axis has 0 or 1 if the array holds the statistic of its low or high
# border, and None if the array holds its elements.
Sides: TypeAlias = tuple[int | None, ...]


class Boxes(Layer):
    """A layer with one task for each chunk of a padded array. It makes a task when the task is needed.

    Until then, the layer only has a few numbers for each range of each axis. A client sends only these numbers to a scheduler.
    """

    # Without this attribute, dask would make and search all tasks, to convert tasks in its legacy format.
    has_legacy_tasks = False

    def __init__(
        self,
        name: str,
        work: Callable[..., Any],
        sources: Mapping[Sides, str],
        chunks: tuple[tuple[int, ...], ...],
        ranges: tuple[tuple[Range, ...], ...],
        computed: str | None = None,
        annotations: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations=annotations)
        self.name, self.work, self.sources, self.chunks, self.ranges = name, work, sources, chunks, ranges
        # The key of a dict of further arguments of `work`, which another task computes.
        self.computed = computed

    @property
    def is_copy(self) -> bool:
        """Tell whether the tasks only pad. If they do, a box that equals a chunk of the array is an alias of this chunk."""
        return isinstance(self.work, Padding)

    def task(self, key: tuple[Any, ...]) -> GraphNode:
        index = key[1:]
        ranges = tuple(of_axis[i] for of_axis, i in zip(self.ranges, index, strict=True))
        if self.is_copy and all(map(_is_chunk, self.chunks, ranges)):
            return Alias(key, (self.sources[(None,) * len(index)], *(of_axis.pieces[0].chunk for of_axis in ranges)))
        chunks = []
        for pieces in product(*(of_axis.pieces for of_axis in ranges)):
            source = self.sources[tuple(piece.side for piece in pieces)]
            chunks.append(TaskRef((source, *(piece.chunk for piece in pieces))))
        further: dict[str, Any] = {} if self.computed is None else {"computed": TaskRef(self.computed)}
        return Task(key, self.work, ranges, *chunks, **further)

    @cached_property
    def _tasks(self) -> dict[tuple[Any, ...], GraphNode]:
        return {key: self.task(key) for key in self}

    def get_output_keys(self) -> Set[tuple[Any, ...]]:
        return set(iter(self))

    def is_materialized(self) -> bool:
        return "_tasks" in self.__dict__

    def __getitem__(self, key: Any) -> GraphNode:
        return self._tasks[key]

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, tuple) or len(key) != 1 + len(self.ranges) or key[0] != self.name:
            return False
        return all(0 <= index < len(of_axis) for index, of_axis in zip(key[1:], self.ranges, strict=True))

    def __iter__(self) -> Iterator[Any]:
        return product((self.name,), *(range(len(of_axis)) for of_axis in self.ranges))

    def __len__(self) -> int:
        return prod(map(len, self.ranges))

    def cull(self, keys: set[Any], all_hlg_keys: Collection[Any]) -> tuple[Layer, Mapping[Any, set[Any]]]:
        tasks = {key: self.task(key) for key in keys if key in self}
        layer = MaterializedLayer(tasks, annotations=self.annotations)
        return layer, {key: set(task.dependencies) for key, task in tasks.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_tasks"}


def _is_chunk(chunks: tuple[int, ...], of_axis: Range) -> bool:
    """Tell whether a range is exactly one chunk of the array."""
    if of_axis.local is not None or len(of_axis.pieces) != 1:
        return False
    (piece,) = of_axis.pieces
    return piece.side is None and (piece.start is None or (piece.start == 0 and piece.stop == chunks[piece.chunk]))

