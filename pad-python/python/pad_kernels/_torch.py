"""The function `torch_pad`. Its first call imports torch."""

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
    """Pad a CPU tensor as `torch.nn.functional.pad` does, in more modes and on any axes.

    You can differentiate the result any number of times. The function works
    with `torch.compile`, `torch.export`, `torch.vmap` and `torch.func`. In a
    graph, it is the operator ``torch.ops.pad_kernels.pad``, and its gradient is
    ``torch.ops.pad_kernels.pad_adjoint``.

    Parameters
    ----------
    x : torch.Tensor
        A strided tensor on the CPU or on the device ``meta``. Its dtype must
        have elements of whole bytes. If `x` is of a subclass, its
        `__torch_function__` handles the call.
    pad : sequence of int
        Pairs of numbers: how many elements to add before and after an axis. The
        first pair is for the last axis, the second for the axis before it, and
        so on. A negative number removes elements.
    mode : str, sequence or dict, optional
        ``"constant"`` (default), ``"reflect"``, ``"replicate"``,
        ``"circular"`` or ``"symmetric"``. The names ``"edge"`` and ``"wrap"``
        of numpy are valid, too. Borders may have any length.
        A sequence has one mode for each pair of `pad`, in the order of `pad`.
        ``{axis: mode}`` names axes of `x`, and other axes have mode
        ``"constant"``. An axis may have a pair of modes, one for the border
        before the tensor and one for the border after it.
    value : number, optional
        The fill in mode ``"constant"``. The default is 0. The fill is cast as
        in torch. A float loses its fraction in a tensor of integers, and is
        rounded in a tensor of narrower floats. Integers stay exact.

    Returns
    -------
    torch.Tensor
        A new tensor with the dtype of `x`. If `x` has the memory format
        ``channels_last`` or ``channels_last_3d``, the result has it, too.
        Otherwise the result is contiguous.

    Raises
    ------
    TypeError
        If `x` is not such a tensor, an entry of `pad` is not an integer,
        `value` is not a number, or `value` is complex and `x` is real.
    ValueError
        If `mode` is unknown, `pad` has an odd number of entries or more than
        two for each axis, the dtype of `x` cannot hold `value`, `value` is
        given for another mode, the sum of an axis's length and its two pads is
        negative, or a border has no element to copy.

    Notes
    -----
    In the modes ``"reflect"``, ``"replicate"`` and ``"symmetric"``, a crop comes
    after the borders, which may repeat removed elements. In mode ``"circular"``,
    the crop comes first, and the borders repeat only what remains.

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
