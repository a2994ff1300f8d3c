"""Padding of torch's tensors, which need not be installed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pad_kernels._pad_kernels import Plan

if TYPE_CHECKING:
    from torch import Tensor

# torch's names, and numpy's.
_MODES = {"constant": "constant", "replicate": "edge", "reflect": "reflect", "circular": "wrap"}
_MODES |= {"edge": "edge", "symmetric": "symmetric", "wrap": "wrap"}


def torch_pad(x: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Pad a tensor of torch: `torch.nn.functional.pad` on the CPU, on any axes, in more modes.

    The tensor's memory is read in place, and the result can be
    differentiated, twice, too.

    Parameters
    ----------
    x : torch.Tensor
        On the CPU, of any dtype with elements of whole bytes.
    pad : sequence of int
        Before and after the last axis, then the one before it, and so on,
        for as many axes as there are. Numbers below zero remove elements.
    mode : str, optional
        ``"constant"`` (default), ``"reflect"``, ``"replicate"``,
        ``"circular"``, or ``"symmetric"``, which torch lacks; and numpy's
        names ``"edge"`` and ``"wrap"``. Borders may be of any length.
    value : float, optional
        For ``"constant"``: what borders are made of; 0 by default.
    """
    import torch

    if x.device.type != "cpu" or x.layout != torch.strided or x.is_quantized:
        raise TypeError(f"torch_pad is for strided tensors on the CPU, not on {x.device}, {x.layout}")
    if mode not in _MODES:
        raise ValueError(f"mode '{mode}' is none of {', '.join(_MODES)}")
    if value is not None and mode != "constant":
        raise ValueError(f"mode '{mode}' has no value")
    if len(pad) % 2 or len(pad) // 2 > x.ndim:
        raise ValueError(f"pad has {len(pad)} entries for a tensor of {x.ndim} axes: give two an axis, the last axis first")
    pairs = [(int(pad[i]), int(pad[i + 1])) for i in range(0, len(pad), 2)]
    widths = ((0, 0),) * (x.ndim - len(pairs)) + tuple(reversed(pairs))
    if x.ndim == 0:
        return x.clone()
    fill = 0 if value is None else value
    padded: Tensor = _functions()[0].apply(x, widths, _MODES[mode], fill)
    return padded


@lru_cache(maxsize=256)
def _plan(shape: tuple[int, ...], dtype: str, widths: Any, mode: Any, fill: bytes | None) -> Plan:
    if fill is None:
        return Plan(shape, dtype, widths, mode)
    return Plan(shape, dtype, widths, mode, constant_values=np.frombuffer(fill, dtype)[0])


def _pad(x: Any, widths: Any, mode: str, fill: Any) -> Any:
    """Elements are moved, whatever they are: as integers of as many bytes, which numpy knows."""
    import torch

    x = x.detach().resolve_conj().resolve_neg()
    dtype = x.dtype
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}[dtype.itemsize]
    array = np.from_dlpack(x.view(integers))
    bytes_of_fill = torch.tensor([fill]).to(dtype).view(torch.uint8).numpy().tobytes() if mode == "constant" else None
    plan = _plan(array.shape, array.dtype.str, widths, mode, bytes_of_fill)
    return torch.from_numpy(plan(array)).view(dtype)


def _adjoint(grad: Any, shape: tuple[int, ...], widths: Any, mode: str) -> Any:
    import torch

    dtype = grad.dtype
    # numpy has no bfloat16. A sum in float32 that is rounded once is what the adjoint of one would be.
    numbers = grad.detach().resolve_conj().resolve_neg()
    numbers = numbers.float() if dtype == torch.bfloat16 else numbers
    array = np.from_dlpack(numbers)
    fill = bytes(array.itemsize) if mode == "constant" else None
    found = _plan(shape, array.dtype.str, widths, mode, fill).adjoint(array)
    return torch.from_numpy(found).to(dtype)


@cache
def _functions() -> tuple[Any, Any]:
    """Padding and its adjoint, each of which is what the other is differentiated by."""
    import torch

    class Pad(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, widths: Any, mode: str, fill: Any) -> Any:
            ctx.of = (tuple(x.shape), widths, mode)
            return _pad(x, widths, mode, fill)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return Adjoint.apply(grad, *ctx.of), None, None, None

    class Adjoint(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, grad: Any, shape: Any, widths: Any, mode: str) -> Any:
            ctx.of = (widths, mode)
            return _adjoint(grad, shape, widths, mode)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return Pad.apply(grad, *ctx.of, 0), None, None, None

    return Pad, Adjoint
