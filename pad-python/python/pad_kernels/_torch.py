"""`torch_pad`, by which torch is imported when it is first called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

_padded: Any = None


def torch_pad(
    x: Tensor,
    pad: Sequence[int],
    mode: str | Sequence[str | tuple[str, str]] | Mapping[int, str | tuple[str, str]] = "constant",
    value: complex | None = None,
) -> Tensor:
    """Pad a tensor of torch: `torch.nn.functional.pad` on the CPU, on any axes, in more modes.

    The tensor's memory is read in place. The result can be differentiated,
    more than once, too. `torch.compile`, `torch.export`, `torch.vmap` and
    `torch.func` take the call, by way of the operators
    ``torch.ops.pad_kernels.pad`` and ``torch.ops.pad_kernels.pad_adjoint``.

    Parameters
    ----------
    x : torch.Tensor
        Strided, on the CPU or the device ``meta``, of any dtype with elements
        of whole bytes. Subclasses decide themselves, by `__torch_function__`.
    pad : sequence of int
        Before and after the last axis, then the one before it, and so on,
        for as many axes as there are. Numbers below zero remove elements.
    mode : str, sequence or dict, optional
        ``"constant"`` (default), ``"reflect"``, ``"replicate"``,
        ``"circular"``, or ``"symmetric"``, which torch lacks; and numpy's
        names ``"edge"`` and ``"wrap"``. Borders may be of any length.
        A sequence has one mode for each pair of `pad`, in their order, so
        the last axis comes first. ``{axis: mode}`` counts axes as `x` does;
        other axes have mode ``"constant"``. A pair of modes is for the
        sides before and after.
    value : number, optional
        For ``"constant"``: what borders are made of; 0 by default. It
        becomes an element as torch casts it: floats lose their fraction in
        integers, and are rounded in narrower floats. Integers are exact.

    Returns
    -------
    torch.Tensor
        A new tensor of the dtype of `x`, in which each axis has as many
        elements more as `pad` says. A tensor in the memory format
        ``channels_last`` or ``channels_last_3d`` keeps it, in all modes.
        All others give rows.

    Raises
    ------
    TypeError
        If `x` is no tensor of these kinds, an entry of `pad` is no integer,
        or `value` is no number, or is complex where `x` is real.
    ValueError
        If `mode` is unknown, `pad` has an odd number of entries or more than
        two an axis, `value` is beyond the dtype of `x` or goes with another
        mode, or there is nothing to copy borders from.

    Examples
    --------
    >>> import torch
    >>> from pad_kernels import torch_pad
    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> torch_pad(x, (1, 2), value=9)
    tensor([[9, 1, 2, 3, 9, 9],
            [9, 4, 5, 6, 9, 9]])
    >>> torch_pad(x, (0, 0, 1, 1), "symmetric")
    tensor([[1, 2, 3],
            [1, 2, 3],
            [4, 5, 6],
            [4, 5, 6]])
    >>> torch_pad(x, (1, 1, 1, 0), ["circular", "replicate"])
    tensor([[3, 1, 2, 3, 1],
            [3, 1, 2, 3, 1],
            [6, 4, 5, 6, 4]])
    """
    global _padded
    if _padded is None:
        from pad_kernels.torch import padded as _padded
    padded: Tensor = _padded(x, pad, mode, value)
    return padded
