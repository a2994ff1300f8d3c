from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, final, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pad_kernels._along import Along

_Scalar = TypeVar("_Scalar", bound=np.generic)

_Integers: TypeAlias = int | Sequence[int] | Sequence[Sequence[int]] | NDArray[np.signedinteger[Any]]
_Width: TypeAlias = _Integers | Mapping[int, int] | Mapping[int, tuple[int, int]] | Mapping[int, int | tuple[int, int]]
_Frame: TypeAlias = Literal["uncropped", "cropped"]
_Box: TypeAlias = Sequence[slice | tuple[int, int]]

CopyingMode: TypeAlias = Literal["constant", "edge", "reflect", "symmetric", "wrap"]
# One mode for both sides of an axis, or a pair of modes, before and after the array.
AxisMode: TypeAlias = CopyingMode | tuple[CopyingMode, CopyingMode]
AxisModes: TypeAlias = Sequence[AxisMode] | Mapping[int, AxisMode]

__version__: str

class _Function(Protocol):
    def __call__(
        self, vector: NDArray[Any], iaxis_pad_width: tuple[int, int], iaxis: int, kwargs: dict[str, Any], /
    ) -> None: ...

@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: Literal["constant"] = "constant",
    *,
    out: NDArray[_Scalar] | None = None,
    interior: int | Sequence[int] | None = None,
    frame: _Frame | None = None,
    dtype: None = None,
    threads: int | None = None,
    constant_values: ArrayLike | Along = 0,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: Literal["edge", "wrap"],
    *,
    out: NDArray[_Scalar] | None = None,
    interior: int | Sequence[int] | None = None,
    frame: _Frame | None = None,
    dtype: None = None,
    threads: int | None = None,
    constant_values: ArrayLike | Along = ...,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: Literal["reflect", "symmetric"],
    *,
    out: NDArray[_Scalar] | None = None,
    interior: int | Sequence[int] | None = None,
    frame: _Frame | None = None,
    dtype: None = None,
    threads: int | None = None,
    constant_values: ArrayLike | Along = ...,
    reflect_type: Literal["even", "odd"] = "even",
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: AxisModes,
    *,
    out: NDArray[_Scalar] | None = None,
    interior: int | Sequence[int] | None = None,
    frame: _Frame | None = None,
    threads: int | None = None,
    constant_values: ArrayLike | Along = ...,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: Literal["empty"],
    *,
    out: NDArray[_Scalar] | None = None,
    frame: _Frame | None = None,
    dtype: None = None,
    threads: int | None = None,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: Literal["linear_ramp"],
    *,
    out: NDArray[_Scalar] | None = None,
    dtype: None = None,
    threads: int | None = None,
    end_values: ArrayLike = 0,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: Literal["maximum", "mean", "median", "minimum", "nanmax", "nanmean", "nanmedian", "nanmin"],
    *,
    out: NDArray[_Scalar] | None = None,
    dtype: None = None,
    threads: int | None = None,
    stat_length: _Integers | None = None,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: Literal["antisymmetric", "antireflect", "smooth"],
    *,
    out: NDArray[_Scalar] | None = None,
    dtype: None = None,
    threads: int | None = None,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: NDArray[_Scalar],
    pad_width: _Width,
    mode: _Function,
    *,
    out: NDArray[_Scalar] | None = None,
    dtype: None = None,
    threads: int | None = None,
    **kwargs: Any,
) -> NDArray[_Scalar]: ...
@overload
def pad(
    array: ArrayLike,
    pad_width: _Width,
    mode: str | AxisModes | _Function = "constant",
    *,
    out: NDArray[Any] | None = None,
    interior: int | Sequence[int] | None = None,
    frame: _Frame | None = None,
    threads: int | None = None,
    dtype: DTypeLike | None = None,
    **kwargs: Any,
) -> NDArray[Any]: ...
def modes(mode: Any, rank: int) -> Any: ...
def shown(value: object) -> str: ...

_Asked: TypeAlias = tuple[list[tuple[int | None, int | None, str]], str]

def widths_to(shape: Sequence[int], asked: _Asked) -> list[tuple[int, int]]: ...
def batch(arrays: list[Any], dtype: np.dtype[Any], asked: _Asked, fill: bytes, wants_lengths: bool) -> Any: ...
def fill_borders(
    array: NDArray[Any],
    pad_width: _Width,
    mode: CopyingMode | AxisModes = "constant",
    *,
    sides: Sequence[tuple[bool, bool]] | None = None,
    constant_values: ArrayLike | Along = ...,
    reflect_type: Literal["even"] = ...,
) -> None: ...
@final
class InputRegions:
    @property
    def axes(self) -> tuple[tuple[slice, ...], ...]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def is_empty(self) -> bool: ...
    @property
    def is_slice(self) -> bool: ...
    def boxes(self) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Plan:
    @overload
    def __new__(
        cls,
        shape: int | Sequence[int],
        dtype: DTypeLike,
        pad_width: _Width,
        mode: Literal["constant", "edge", "wrap", "empty"] | AxisModes = "constant",
        *,
        interior: int | Sequence[int] | None = None,
        frame: _Frame | None = None,
        constant_values: ArrayLike | Along = ...,
    ) -> Plan: ...
    @overload
    def __new__(
        cls,
        shape: int | Sequence[int],
        dtype: DTypeLike,
        pad_width: _Width,
        mode: Literal["reflect", "symmetric"],
        *,
        interior: int | Sequence[int] | None = None,
        frame: _Frame | None = None,
        constant_values: ArrayLike | Along = ...,
        reflect_type: Literal["even", "odd"] = "even",
    ) -> Plan: ...
    @overload
    def __new__(
        cls,
        shape: int | Sequence[int],
        dtype: DTypeLike,
        pad_width: _Width,
        mode: Literal["linear_ramp"],
        *,
        end_values: ArrayLike = 0,
    ) -> Plan: ...
    @overload
    def __new__(
        cls,
        shape: int | Sequence[int],
        dtype: DTypeLike,
        pad_width: _Width,
        mode: Literal["maximum", "mean", "median", "minimum"],
        *,
        stat_length: _Integers | None = None,
    ) -> Plan: ...
    def __call__(
        self, array: ArrayLike, out: NDArray[Any] | None = None, *, threads: int | None = None
    ) -> NDArray[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def output_shape(self) -> tuple[int, ...]: ...
    @property
    def mode(self) -> str | tuple[AxisMode, ...]: ...
    @property
    def pad_width(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def interior(self) -> tuple[int, ...]: ...
    @property
    def kernel(self) -> str | None: ...
    def window(self, box: _Box) -> Plan: ...
    def input_regions(self, box: _Box) -> InputRegions: ...
    def window_from_regions(self, box: _Box) -> Plan: ...
    def adjoint(
        self, grad: ArrayLike, out: NDArray[Any] | None = None, *, threads: int | None = None
    ) -> NDArray[Any]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class TensorPad:
    def __new__(cls, element: Callable[[Any, Any], bytes]) -> TensorPad: ...
    def takes(self, x: Any) -> bool: ...
    def pad(self, x: Any, pad: Any, mode: Any, value: Any) -> Any: ...
