"""Registers the operators `torch.ops.pad_kernels.pad` and `torch.ops.pad_kernels.pad_adjoint`, for padding and its gradient.

The function `pad_kernels.torch_pad` runs these operators, and its first call imports this module. A program that loads a file
of `torch.export` must import this module, too, because the import registers the operators.
"""

from __future__ import annotations

import cmath
import operator
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch._C import _are_functorch_transforms_active, _is_tracing
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.autograd import forward_ad
from torch.compiler import is_dynamo_compiling
from torch.overrides import handle_torch_function, has_torch_function_unary
from torch.utils._python_dispatch import is_in_torch_dispatch_mode

from pad_kernels._pad_kernels import Plan, TensorPad
from pad_kernels._torch import torch_pad

# numpy's name for each mode that `torch_pad` accepts. The keys are the names of torch, and all names of numpy.
_MODES = {"constant": "constant", "replicate": "edge", "reflect": "reflect", "circular": "wrap"}
_MODES |= {"edge": "edge", "symmetric": "symmetric", "wrap": "wrap"}

# numpy lacks these types, so their gradients are summed in a wider type. The sums are rounded once, at the end.
_SUMMED_AS = {torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
_SUMMED_AS |= {dtype: torch.float32 for name, dtype in vars(torch).items() if name.startswith("float8_")}


def padded(x: Any, pad: Any, mode: Any, value: Any) -> Any:
    """Do the work of `torch_pad`."""
    if has_torch_function_unary(x):
        return handle_torch_function(torch_pad, (x,), x, pad, mode=mode, value=value)
    if isinstance(x, Tensor) and not isinstance(mode, str):
        pad = _listed(pad)
        mode = _joined(mode, len(pad) // 2, x.ndim)
    if is_dynamo_compiling():
        if forward_ad._current_level >= 0:
            # In a compiled graph, the tangent would be lost and the derivative would silently be zero.
            torch._dynamo.graph_break()
        return _pad(x, *_checked(x, pad, mode, value))
    if not (type(x) is Tensor and x.requires_grad and torch.is_grad_enabled()) and forward_ad._current_level < 0:
        found = _pad_plain(x, pad, mode, value)
        if found is not None:
            return found
    return _differentiable_pad(x, *_checked(x, pad, mode, value))


def _checked(x: Any, pad: Any, mode: Any, value: Any) -> tuple[list[Any], str, Any]:
    """Check the arguments, and return them in the form that the operator accepts."""
    if not isinstance(x, Tensor):
        kind = f"{type(x).__module__}.{type(x).__qualname__}"
        raise TypeError(f"x is a {kind}, not a tensor: pad arrays by pad_kernels.pad, or give torch.as_tensor(x)")
    if x.is_quantized:
        raise TypeError(f"x is quantized, of dtype {x.dtype}: pad x.int_repr(), with value=x.q_zero_point()")
    if x.layout != torch.strided:
        raise TypeError(f"x has layout {x.layout}, and torch_pad is for torch.strided: pad x.to_dense()")
    if x.is_nested:
        raise TypeError("x is nested: pad each of x.unbind()")
    if x.device.type not in ("cpu", "meta"):
        raise TypeError(f"x is on device {x.device}, and torch_pad is for the CPU: pad x.cpu(), or use torch.nn.functional.pad")
    sides = [_integer(side) for side in _listed(pad)]
    if len(sides) % 2 or len(sides) // 2 > x.ndim:
        raise ValueError(f"pad has {len(sides)} entries, and x {x.ndim} axes: give two an axis, the last axis first")
    if _names(mode, len(sides) // 2) is None:
        known = "constant, reflect, replicate, circular and symmetric"
        raise ValueError(f"mode is {mode!r}, and torch_pad has {known}: pad_kernels.pad has the others, for x.numpy()")
    if value is None:
        return sides, mode, 0
    value = _number(value)
    if "constant" not in mode and value != 0:
        raise ValueError(f"value is {value!r}, and mode '{mode}' takes none: leave it out, or use mode 'constant'")
    return sides, mode, value


def _listed(pad: Any) -> list[Any]:
    try:
        return list(pad)
    except TypeError:
        raise TypeError(f"pad is {pad!r}, and has to be a sequence: two integers an axis, the last axis first") from None


def _joined(mode: Any, count: int, rank: int) -> str:
    """Return the modes of `count` pairs as one text. Commas separate axes, in the order of `pad`. A bar separates two sides."""
    modes: list[Any]
    if isinstance(mode, Mapping):
        named: dict[int, Any] = {}
        for key, of_axis in mode.items():
            try:
                axis = operator.index(key)
            except TypeError:
                raise TypeError(f"mode has the key {key!r}, which is no axis: axes are integers") from None
            from_last = -1 - axis if axis < 0 else rank - 1 - axis
            if not 0 <= from_last < count:
                raise ValueError(f"mode names axis {axis}, and pad has widths of the last {count} of {rank} axes")
            if from_last in named:
                raise ValueError(f"mode names axis {rank - 1 - from_last} twice")
            named[from_last] = of_axis
        modes = [named.get(from_last, "constant") for from_last in range(count)]
    elif isinstance(mode, (list, tuple)) and len(mode) == count:
        modes = list(mode)
    else:
        raise ValueError(f"mode is {mode!r}, and pad has {count} pairs: give a name, one for each pair in their order, or {{axis: name}}")
    sides = [tuple(given) if isinstance(given, (list, tuple)) or getattr(given, "ndim", None) else (given, given) for given in modes]
    for given, pair in zip(modes, sides, strict=True):
        if len(pair) != 2 or any(not isinstance(name, str) or name not in _MODES for name in pair):
            raise ValueError(f"mode holds {given!r}: give one or two of {', '.join(_MODES)} for an axis")
    return ",".join(low if low == high else f"{low}|{high}" for low, high in sides) or "constant"


def _names(mode: Any, count: int) -> list[Any] | None:
    """Return numpy's names for the modes of `count` axes, the last axis first.

    If a name or the number of names is wrong, return None.
    """
    if mode in _MODES:
        return [_MODES[mode]] * max(count, 1)
    axes = [axis.split("|") for axis in mode.split(",")] if isinstance(mode, str) else []
    if len(axes) != count or any(len(sides) > 2 or not _MODES.keys() >= set(sides) for sides in axes):
        return None
    return [_MODES[low] if not high else (_MODES[low], _MODES[high[0]]) for low, *high in axes]


def _integer(side: Any) -> Any:
    # While Dynamo traces, a scalar of numpy is an array without axes, whose `__index__` Dynamo does not trace.
    if is_dynamo_compiling() and isinstance(side, np.ndarray) and side.ndim == 0:
        side = side.item()
    # While Dynamo traces, symbolic integers look like integers of Python, and a conversion would fix their values.
    if isinstance(side, SymInt) or (is_dynamo_compiling() and type(side) is int):
        return side
    try:
        side = int(operator.index(side))
    except TypeError:
        raise TypeError(f"pad holds {side!r}, which is no integer") from None
    if not -(2**63) <= side < 2**63:
        raise ValueError(f"pad holds {side}, which is beyond 64 bits: no axis is as long")
    return side


def _number(value: Any) -> Any:
    """Return the value as a number of Python, or as a symbolic number of torch."""
    if isinstance(value, Tensor) and value.requires_grad:
        raise TypeError("value is a tensor that requires a gradient, which would be lost: give value.item()")
    # While Dynamo traces, a scalar of numpy is an array without axes.
    number = value.item() if isinstance(value, (Tensor, np.generic, np.ndarray)) and value.ndim == 0 else value
    if not isinstance(number, (int, float, complex, SymInt, SymFloat, SymBool)):
        raise TypeError(f"value is {value!r}, which is no number")
    return number


def _element(value: Any, dtype: torch.dtype) -> bytes:
    """Return `value` as an element of the dtype. The cast is that of torch's own `pad`, except that integers stay exact.

    A number that is outside the range of the dtype is an error.
    """
    # The cache finds a number by its type and its value. It has no zeros, because 0.0 and -0.0 are equal but differ as elements.
    return _kept_element(value, dtype) if type(value) in (int, float) and value else _new_element(value, dtype)


def _new_element(value: Any, dtype: torch.dtype) -> bytes:
    number = 0 if value is None else _number(value)
    if isinstance(number, complex) and not dtype.is_complex:
        raise TypeError(f"value is {value!r}, which is complex, and x is of dtype {dtype}: give value.real")
    if dtype == torch.bool:
        return bytes([bool(number)])
    try:
        if not dtype.is_floating_point and not dtype.is_complex:
            limits = torch.iinfo(dtype)
            if not limits.min <= number < limits.max + 1:
                raise ValueError(f"value is {value!r}, and dtype {dtype} has {limits.min} to {limits.max}: give one of these")
            return int(number).to_bytes(dtype.itemsize, sys.byteorder, signed=limits.min < 0)
        number = number if isinstance(number, complex) else float(number)
        # torch checks that the number fits, except if it fills a tensor of one element. This tensor has two.
        element = torch.empty(2, dtype=dtype, device="cpu").fill_(number)[:1]
        lost = cmath.isfinite(number) and not cmath.isfinite(element.item())
    except (NotImplementedError, TypeError):
        # torch does not compute with elements of less than 8 bits.
        if number == 0:
            return bytes(dtype.itemsize)
        raise TypeError(f"value is {value!r}, and torch cannot fill dtype {dtype}: pad x.view(torch.uint8)") from None
    except (OverflowError, RuntimeError):
        lost = True
    if lost:
        raise ValueError(f"value is {value!r}, and no element of dtype {dtype} is near it: convert x to a wider dtype")
    found: bytes = element.view(torch.uint8).numpy().tobytes()
    return found


_kept_element = lru_cache(maxsize=256, typed=True)(_new_element)
_native = TensorPad(_element)
_pad_native = _native.pad


def _is_channels_last(x: Tensor) -> bool:
    """Tell whether torch's own `pad` treats the tensor as `channels_last`. The strides can be ambiguous; this is torch's rule."""
    shape, strides = x.shape, x.stride()
    if len(shape) not in (4, 5) or strides[1] == 0:
        return False
    least: Any = 0
    for axis in (1, *range(len(shape) - 1, 1, -1), 0):
        if shape[axis] == 0 or strides[axis] < least or (axis == 0 and least == strides[1]):
            return False
        least = strides[axis] * shape[axis]
    return True


def _new_like(x: Tensor, shape: Any) -> Tensor:
    """Return a new uninitialised tensor in the memory format of `x`."""
    if not _is_channels_last(x):
        return x.new_empty(shape)
    memory_format = torch.channels_last if x.ndim == 4 else torch.channels_last_3d
    return torch.empty(shape, dtype=x.dtype, device=x.device, memory_format=memory_format)


def _in_memory(x: Tensor) -> Tensor:
    """Return a plain tensor. If `x` is only marked as conjugated or negated, the memory of the result has the final numbers."""
    return x.as_subclass(Tensor).detach().resolve_conj().resolve_neg()


@torch.library.custom_op(
    "pad_kernels::pad",
    mutates_args=(),
    device_types="cpu",
    schema="(Tensor x, SymInt[] pad, str mode, Scalar value) -> Tensor",
)
def pad(x: Tensor, pad: Sequence[int], mode: str, value: Any) -> Tensor:
    """Pad a tensor, and return the result. `torch_pad` explains the arguments.

    `mode` is one name, or one name for each pair of `pad`, separated by commas. A bar separates the two modes of an axis, as in
    `edge|wrap,edge`. An unknown mode or a wrong number of entries is a ValueError.
    """
    plain = _in_memory(x)
    if not _native.takes(plain):
        raise TypeError(f"x is of dtype {x.dtype}, whose elements torch shows no other library: give x.view(torch.uint8)")
    found: Tensor | None = _pad_native(plain, pad, mode, _element(value, x.dtype) if "constant" in mode else None)
    if found is None:
        raise _refused("pad", x.ndim, pad, mode)
    return found


@torch.library.custom_op(
    "pad_kernels::pad_adjoint",
    mutates_args=(),
    device_types="cpu",
    schema="(Tensor grad, SymInt[] shape, SymInt[] pad, str mode) -> Tensor",
)
def pad_adjoint(grad: Tensor, shape: Sequence[int], pad: Sequence[int], mode: str) -> Tensor:
    """Return the gradient of a tensor of `shape`, computed from `grad`, the gradient of the padded tensor.

    `pad` and `mode` are the arguments with which the operator `pad` padded the tensor.
    """
    return _add_up(grad, shape, pad, mode)


def _add_up(grad: Tensor, shape: Sequence[int], pad: Sequence[int], mode: str) -> Tensor:
    widths, modes = _adjoint_axes(grad, shape, pad, mode)
    axes = list(range(grad.ndim))
    # The axes are in the order of memory, so that no element has to be moved first.
    order = [0, *axes[2:], 1] if _is_channels_last(grad) else axes
    numbers = _in_memory(grad).to(_SUMMED_AS.get(grad.dtype, grad.dtype)).permute(order)
    if not axes:
        return numbers.clone()
    array = numbers.numpy()
    by_axis = tuple(modes[axis] for axis in order)
    plan = _plan(tuple(shape[axis] for axis in order), array.dtype.str, tuple(widths[axis] for axis in order), by_axis)
    return torch.from_numpy(plan.adjoint(array)).permute(sorted(axes, key=order.__getitem__)).to(grad.dtype)


def _axes(name: str, rank: int, pad: Sequence[Any], mode: str) -> tuple[list[Any], list[Any]]:
    """Return the widths and numpy's modes of all axes, the first axis first."""
    unpadded = rank - len(pad) // 2
    names = _names(mode, len(pad) // 2)
    if names is None or len(pad) % 2 or unpadded < 0:
        raise _refused(name, rank, pad, mode)
    # The mode of an axis that is not padded does not matter.
    return [(0, 0)] * unpadded + list(zip(pad[::2], pad[1::2]))[::-1], ([names[-1]] * unpadded + names[::-1])[:rank]


def _refused(name: str, rank: int, pad: Sequence[Any], mode: str) -> ValueError:
    known = f"a mode of {', '.join(_MODES)}, and two integers an axis"
    return ValueError(f"pad_kernels::{name} takes {known}, not mode {mode!r} and pad {list(pad)} for {rank} axes")


def _adjoint_axes(grad: Tensor, shape: Sequence[Any], pad: Sequence[Any], mode: str) -> tuple[list[Any], list[Any]]:
    if len(shape) != grad.ndim:
        raise ValueError(f"pad_kernels::pad_adjoint: shape is {list(shape)}, and grad has {grad.ndim} axes: give one length an axis")
    return _axes("pad_adjoint", grad.ndim, pad, mode)


@lru_cache(maxsize=256)
def _plan(shape: tuple[int, ...], dtype: str, widths: Any, mode: Any) -> Plan:
    return Plan(shape, dtype, widths, mode)


_pad = torch.ops.pad_kernels.pad.default
_adjoint = torch.ops.pad_kernels.pad_adjoint.default


def _is_watched() -> bool:
    return bool(is_in_torch_dispatch_mode() or _is_tracing())


def _pad_plain(x: Any, pad: Any, mode: Any, value: Any) -> Any:
    """Pad without torch's dispatcher, which takes several times as long.

    Return None if the dispatcher must see the call, or if Python must check the arguments.
    """
    return None if is_in_torch_dispatch_mode() or _is_tracing() else _pad_native(x, pad, mode, value)


@pad.register_fake
def _(x: Tensor, pad: Sequence[int], mode: str, value: Any) -> Tensor:
    widths, modes = _axes("pad", x.ndim, pad, mode)
    axes = [(length, *sides) for length, sides in zip(x.shape, widths)]
    if axes:
        # The plan checks all axes, except those with symbolic integers.
        known = [axis if all(isinstance(number, int) for number in axis) else (1, 0, 0) for axis in axes]
        _plan(tuple(axis[0] for axis in known), f"V{x.dtype.itemsize}", tuple(axis[1:] for axis in known), tuple(modes))
    if "constant" in mode and isinstance(value, (int, float, complex)):
        with unset_fake_temporarily():
            _element(value, x.dtype)
    return _new_like(x, [sum(axis) for axis in axes])


@pad_adjoint.register_fake
def _(grad: Tensor, shape: Sequence[int], pad: Sequence[int], mode: str) -> Tensor:
    _adjoint_axes(grad, shape, pad, mode)
    return _new_like(grad, shape)


class _Pad(torch.autograd.Function):
    """The operator `pad` with its derivatives, for `torch.func`, which does not use registered derivatives."""

    @staticmethod
    def forward(x: Tensor, pad: Sequence[int], mode: str, value: Any) -> Any:
        found = _pad_plain(x, pad, mode, value)
        return _pad(x, pad, mode, value) if found is None else found

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, ctx.pad, ctx.mode, _ = inputs
        ctx.shape = x.shape

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _differentiable_adjoint(grad, ctx.shape, ctx.pad, ctx.mode), None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: Any) -> Any:
        return _differentiable_pad(tangent, ctx.pad, ctx.mode, 0)

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Tensor, *given: Any) -> Any:
        # Pads count from the last axis, so a new first axis does not change them.
        return _differentiable_pad(x.movedim(in_dims[0], 0), *given), 0


class _Adjoint(torch.autograd.Function):
    """The operator `pad_adjoint` with its derivatives, for `torch.func`."""

    @staticmethod
    def forward(grad: Tensor, shape: Sequence[int], pad: Sequence[int], mode: str) -> Any:
        plain = not (_is_watched() or _are_functorch_transforms_active()) and _native.takes(grad)
        return (_add_up if plain else _adjoint)(grad, shape, pad, mode)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, ctx.shape, ctx.pad, ctx.mode = inputs

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _differentiable_pad(grad, ctx.pad, ctx.mode, 0), None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: Any) -> Any:
        return _differentiable_adjoint(tangent, ctx.shape, ctx.pad, ctx.mode)

    @staticmethod
    def vmap(info: Any, in_dims: Any, grad: Tensor, shape: Sequence[int], *given: Any) -> Any:
        return _differentiable_adjoint(grad.movedim(in_dims[0], 0), [info.batch_size, *shape], *given), 0


def _without_transforms(function: Any) -> Any:
    """Return a variant of an autograd function for calls outside `torch.func`. It saves 18 us per call, as it binds no names."""

    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            function.setup_context(ctx, inputs, None)
            return function.forward(*inputs)

        backward = staticmethod(function.backward)
        jvp = staticmethod(function.jvp)

    # torch derives the name of the node in the graph from that of the class.
    return type(function.__name__.removeprefix("_"), (Plain,), {})


_PlainPad, _PlainAdjoint = _without_transforms(_Pad), _without_transforms(_Adjoint)


def _differentiable_pad(*given: Any) -> Any:
    return (_Pad if _are_functorch_transforms_active() else _PlainPad).apply(*given)


def _differentiable_adjoint(*given: Any) -> Any:
    return (_Adjoint if _are_functorch_transforms_active() else _PlainAdjoint).apply(*given)


pad.register_autograd(_Pad.backward, setup_context=_Pad.setup_context)
pad.register_vmap(lambda info, in_dims, x, *given: (_pad(x.movedim(in_dims[0], 0), *given), 0))
pad_adjoint.register_autograd(_Adjoint.backward, setup_context=_Adjoint.setup_context)
pad_adjoint.register_vmap(
    lambda info, in_dims, grad, shape, *given: (_adjoint(grad.movedim(in_dims[0], 0), [info.batch_size, *shape], *given), 0)
)
