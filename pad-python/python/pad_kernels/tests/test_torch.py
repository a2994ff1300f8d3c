"""Tests of `torch_pad`. Most results are compared with those of torch's own `pad`."""

from __future__ import annotations

import functools
import io
import math
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pad_kernels import torch_pad

torch: Any = pytest.importorskip("torch")
forward_ad = pytest.importorskip("torch.autograd.forward_ad")
F: Any = torch.nn.functional.pad
pad_any: Any = torch_pad

MODES = ["constant", "reflect", "replicate", "circular", "symmetric"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
EIGHTS = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
COMPLEX = ["complex32", "complex64", "complex128"]


def tensor(dtype: Any, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(0, 100, shape, generator=generator).to(dtype)


def bits(x: Any) -> bytes:
    found: bytes = x.contiguous().view(torch.uint8).numpy().tobytes()
    return found


def run(script: str) -> str:
    """Run the script in a new interpreter, and return its output."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Values

def test_values_are_torchs() -> None:
    count = 0
    for dtype in [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.bool, torch.complex64]:
        for mode in ["constant", "reflect", "replicate", "circular"]:
            x = tensor(dtype, 2, 3, 5, 6)
            for pad in [(1, 2), (2, 1, 3, 2), (-1, 2, 0, 1), (0, 0, 0, 0)]:
                pad = pad if mode == "constant" else (*pad, 0, 0)[:4]
                try:
                    expected = F(x, pad, mode)
                except (NotImplementedError, RuntimeError):
                    continue
                for laid in (x, x.transpose(1, 3).contiguous().transpose(1, 3), torch.cat([x, x], 2)[:, :, :5]):
                    found = torch_pad(laid, pad, mode)
                    assert found.dtype == dtype and torch.equal(found, expected)
                count += 1
    assert count > 60


def test_values_that_torch_lacks() -> None:
    x = tensor(torch.float32, 3, 4)
    ours = torch_pad(x, (0, 0, 2, 5), "symmetric")
    np.testing.assert_array_equal(ours.numpy(), np.pad(x.numpy(), ((2, 5), (0, 0)), "symmetric"))
    ours = torch_pad(x.T, (9, 9, 1, 0), "reflect")
    np.testing.assert_array_equal(ours.numpy(), np.pad(x.numpy().T, ((1, 0), (9, 9)), "reflect"))
    for mode, name in [("edge", "replicate"), ("wrap", "circular")]:
        assert torch.equal(torch_pad(x, (1, 2, 3, 1), mode), torch_pad(x, (1, 2, 3, 1), name))
    eights = tensor(torch.float32, 4).to(torch.float8_e4m3fn)
    assert torch_pad(eights, (2, 2), "circular").view(torch.uint8).tolist() == np.pad(eights.view(torch.uint8), 2, "wrap").tolist()


def test_no_axes_and_no_elements() -> None:
    x = torch.tensor(3.0)
    assert torch.equal(torch_pad(x, ()), x) and torch_pad(x, ()).data_ptr() != x.data_ptr()
    for pad in [(1, 2), (0, 0, 1, 1), (2, 2, 1, 0)]:
        assert torch.equal(torch_pad(torch.zeros(0, 3), pad, value=5.0), F(torch.zeros(0, 3), pad, value=5.0))
    assert torch_pad(torch.zeros(2, 3), (-1, -2)).shape == (2, 0)
    for removed in [(-2, -2), (-4, 0)]:
        with pytest.raises(ValueError):
            torch_pad(torch.zeros(3), removed)
    with pytest.raises(ValueError):
        torch_pad(torch.zeros(0), (1, 1), "replicate")


def test_results_are_new_tensors() -> None:
    x = tensor(torch.float32, 2, 3)
    before = x.clone()
    for mode in MODES:
        for given in (x, x.clone().requires_grad_()):
            for pad in [(), (0, 0), (0, 0, 0, 0)]:
                found = torch_pad(given, pad, mode)
                assert torch.equal(found, before) and found.data_ptr() != given.data_ptr()


def test_bits_that_tensors_carry() -> None:
    z = torch.randn(2, 3, dtype=torch.complex64)
    for x in (z.conj(), z.conj().imag, z.T.conj(), torch._neg_view(z.real)):
        found = torch_pad(x, (1, 1), value=2.0)
        assert torch.equal(found, F(x, (1, 1), value=2.0)) and not found.is_conj() and not found.is_neg()
        x = x.clone().detach().conj().requires_grad_() if x.is_complex() else x.detach()
        assert torch.equal(torch_pad(x, (1, 1), value=2.0), F(x, (1, 1), value=2.0))
    zeros = torch._efficientzerotensor(2, 3)
    assert torch.equal(torch_pad(zeros, (1, 1), value=2.0), F(torch.zeros(2, 3), (1, 1), value=2.0))


def test_large_tensors() -> None:
    x = torch.arange(3 * 300 * 200, dtype=torch.float32).reshape(1, 3, 300, 200)
    assert torch.equal(torch_pad(x, (5, 6, 7, 8), "reflect"), F(x, (5, 6, 7, 8), "reflect"))


# Fills

def filled(call: Any, dtype: Any, value: Any) -> Any:
    return call(torch.ones(1, dtype=dtype), (0, 2), value=value)[1:]


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float64", 0.1), ("float64", 1e300), ("float64", math.pi), ("float64", -0.0), ("float64", math.nan), ("float32", 0),
        ("int64", 16777217.0), ("complex128", 0.1), ("complex128", 1e300), ("float16", -math.inf), ("bfloat16", 70000),
        ("uint8", 255.9), ("int8", 1.5), ("int64", -0.5), ("bool", math.nan), ("bool", 0.1), ("bool", False), ("uint8", True),
        ("float8_e4m3fn", 300), ("float8_e5m2", math.inf), ("float8_e8m0fnu", 7), ("complex32", 65519.0), ("float32", -0.0),
        ("float32", np.float32(0.5)), ("float64", np.float64(-0.0)), ("int16", np.int64(7)), ("bool", np.bool_(True)),
        ("float32", torch.tensor(2.5)), ("int32", torch.tensor(3)), ("int64", -(2**63)), ("uint32", 2**32 - 1), ("float32", None),
    ],
)  # fmt: skip
def test_fills_are_torchs(dtype: str, value: Any) -> None:
    of = getattr(torch, dtype)
    for _ in range(2):
        assert bits(filled(torch_pad, of, value)) == bits(filled(F, of, value))


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("int64", 2**53 + 1), ("int64", 2**63 - 1), ("uint64", 2**64 - 1), ("uint64", np.uint64(2**64 - 1)), ("uint64", 2**63),
        ("complex128", 1 / 3 + 2j), ("complex128", np.complex128(1 + 0.1j)), ("complex64", torch.tensor(1 + 2j)),
    ],
)  # fmt: skip
def test_fills_that_torch_rounds_or_refuses(dtype: str, value: Any) -> None:
    found = filled(torch_pad, getattr(torch, dtype), value)
    assert [type(value)(each) if isinstance(value, int) else each for each in found.tolist()] == [value, value]
    # The operator, which `vmap` calls, gives the same result.
    x = torch.ones(1, dtype=getattr(torch, dtype))
    assert torch.equal(torch.func.vmap(lambda x: torch_pad(x, (0, 2), value=value))(x[None])[0, 1:], found)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("int64", math.nan), ("int64", math.inf), ("uint8", 300), ("uint8", -1), ("uint8", 256.0), ("int8", -128.5),
        ("int64", 2**63), ("int64", -(2**63) - 1), ("uint64", 2**64), ("uint64", -1), ("int32", 1e300), ("float32", 1e300),
        ("float16", 70000), ("bfloat16", -1e300), ("complex64", 1e300), ("complex32", 70000), ("float8_e4m3fn", 1000.0),
        ("float8_e4m3fn", math.inf), ("float8_e8m0fnu", -1), ("float8_e8m0fnu", 0), ("float64", 10**400), ("complex64", 1e300j),
    ],
)  # fmt: skip
def test_fills_that_are_lost_are_refused(dtype: str, value: Any) -> None:
    of = getattr(torch, dtype)
    with pytest.raises(ValueError) as error:
        filled(torch_pad, of, value)
    assert f"value is {value!r}" in str(error.value) and f"torch.{dtype}" in str(error.value)
    # The operator checks the fill, too. The test leaves out larger numbers, because torch does not pass all of them to operators.
    if abs(value) < 2**63:
        with pytest.raises(ValueError, match=f"torch.{dtype}"):
            torch.ops.pad_kernels.pad(torch.ones(1, dtype=of), [0, 2], "constant", value)


@pytest.mark.parametrize("name", ["uint4", "int4", "float4_e2m1fn_x2"])
def test_fills_of_narrow_dtypes(name: str) -> None:
    of = getattr(torch, name)
    x = torch.tensor([18, 52], dtype=torch.uint8).view(of)
    for call in (pad_any, lambda x, pad, value=0: torch.ops.pad_kernels.pad(x, list(pad), "constant", value)):
        assert call(x, (1, 0)).view(torch.uint8).tolist() == [0, 18, 52]
        assert call(torch.empty(2, dtype=of, device="meta"), (1, 0)).shape == (3,)
        for given in (x, torch.empty(2, dtype=of, device="meta")):
            with pytest.raises(TypeError, match=rf"value is 1, and torch cannot fill dtype torch.{name}: pad x.view\(torch.uint8\)"):
                call(given, (1, 0), value=1)


def test_no_fill_by_default_where_zero_is_none() -> None:
    x = torch.ones(2).to(torch.float8_e8m0fnu)
    for call in (F, pad_any):
        with pytest.raises((RuntimeError, ValueError)):
            call(x, (1, 1))
    assert bits(torch_pad(x, (1, 1), "replicate")) == bits(x) * 2


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "float8_e5m2"])
@pytest.mark.parametrize("value", [1 + 2j, 1 + 0j, np.complex128(1 + 2j)])
def test_complex_fills_of_real_tensors_are_refused(dtype: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"complex.*torch.{dtype}"):
        filled(torch_pad, getattr(torch, dtype), value)


@pytest.mark.parametrize("value", ["a", [1], np.array([2.0]), torch.ones(1), object()])
def test_fills_that_are_no_numbers_are_refused(value: Any) -> None:
    for dtype in (torch.float32, torch.int64, torch.complex64):
        with pytest.raises(TypeError, match="no number"):
            filled(torch_pad, dtype, value)


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_any_fill(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["bool", *INTEGERS, *FLOATS, *EIGHTS, *COMPLEX]))
    numbers: list[st.SearchStrategy[Any]] = [
        st.booleans(), st.floats(), st.floats(width=16), st.floats(-500, 500), st.integers(-(2**65), 2**65),
        st.integers(-300, 300), st.floats(width=32).map(np.float32), st.integers(-(2**63), 2**63 - 1).map(np.int64),
    ]  # fmt: skip
    dtype: Any = getattr(torch, name)
    value: Any = data.draw(st.one_of(numbers))
    try:
        found = filled(torch_pad, dtype, value)
    except ValueError:
        found = None
    try:
        expected = filled(F, dtype, value)
    except RuntimeError:
        expected = None
    if dtype.is_complex and expected is not None and not expected.isfinite().all() and math.isfinite(value):
        # torch itself does not report an error if a complex32 number becomes infinite.
        assert found is None
    elif name in INTEGERS and isinstance(value, (int, np.integer)):
        # torch rounds these integers to 64-bit floats.
        limits = torch.iinfo(dtype)
        assert found.tolist() == [value] * 2 if limits.min <= value <= limits.max else found is None
    elif expected is None:
        assert found is None
    else:
        assert bits(found) == bits(expected)


def test_zeros_keep_their_signs() -> None:
    for values in [(0.0, -0.0, 0.0), (-0.0, 0, False, -0.0)]:
        for value in values:
            found = torch_pad(torch.ones(1), (0, 1), value=value)[1]
            assert math.copysign(1, found) == math.copysign(1, value)


# Memory formats

@settings(max_examples=300, deadline=None)
@given(st.data())
def test_strides_are_torchs(data: st.DataObject) -> None:
    """For all strides of the input, even ambiguous ones, the result has the strides that torch's own pad gives it."""
    rank = data.draw(st.sampled_from([3, 4, 5]))
    shape = data.draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank))
    order = data.draw(st.permutations(range(rank)))
    large = torch.arange(float(math.prod(shape)) * 2**rank).reshape([2 * shape[axis] for axis in order])
    x = large.permute(sorted(range(rank), key=order.__getitem__))
    steps = data.draw(st.lists(st.sampled_from([1, 2]), min_size=rank, max_size=rank))
    x = x[tuple(slice(0, n * step, step) for n, step in zip(shape, steps))]
    if data.draw(st.booleans()):
        x = x.clone()
    if data.draw(st.booleans()):
        x = x[:1].expand(shape)
    pad = (1, 2, 0, 1) if rank < 5 else (1, 0, 2, 1, 0, 1)
    if data.draw(st.booleans()):
        # The crop leaves no element of the second-last axis.
        pad = (*pad[:2], -shape[-2], 0, *pad[4:])
    expected = F(x, pad)
    for mode in MODES:
        found = torch_pad(x, pad, mode)
        assert found.stride() == expected.stride()
        assert torch_pad(x.detach().requires_grad_(), pad, mode).stride() == found.stride()
        assert torch_pad(torch.empty_strided(x.shape, x.stride(), device="meta"), pad, mode).stride() == found.stride()
    assert torch.equal(torch_pad(x, pad), expected)
    if expected.numel():
        assert torch.equal(torch_pad(x, pad, "replicate"), F(x, pad, "replicate"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("rank", "name"), [(4, "channels_last"), (5, "channels_last_3d")])
def test_channels_last_is_kept(mode: str, rank: int, name: str) -> None:
    memory_format = getattr(torch, name)
    rows = tensor(torch.float32, 2, 3, 4, 5, 3)[..., 0] if rank == 4 else tensor(torch.float32, 2, 3, 4, 5, 3)
    rows = rows.contiguous()
    for x in (rows.to(memory_format=memory_format), rows.to(memory_format=memory_format).requires_grad_()):
        for pad in [(1, 2, 2, 1), (0, 0), (-1, 1), (1, 1, 1, 1, 1, 1, 2, 1)]:
            found = torch_pad(x, pad, mode)
            assert found.is_contiguous(memory_format=memory_format) and torch.equal(found, torch_pad(rows, pad, mode))
        empty = (1, 2, -x.shape[-2], 0)
        assert torch_pad(x, empty, mode).stride() == F(x, empty).stride()
    found.square().sum().backward()
    other = rows.clone().requires_grad_()
    torch_pad(other, pad, mode).square().sum().backward()
    assert torch.equal(x.grad, other.grad)
    adjoint = torch.ops.pad_kernels.pad_adjoint
    grad = adjoint(torch.ones_like(found), list(x.shape), list(pad), mode)
    assert grad.is_contiguous(memory_format=memory_format)
    assert torch.equal(grad, adjoint(torch.ones(found.shape), list(x.shape), list(pad), mode))


# Arguments

def test_pads_are_integers() -> None:
    x = torch.ones(2, 3)
    expected = F(x, (1, 2))
    for pad in [[1, 2], (np.int64(1), np.int8(2)), np.array([1, 2]), (torch.tensor(1), 2), torch.Size((1, 2)), range(1, 3), (True, 2)]:
        assert torch.equal(pad_any(x, pad), expected)
        assert torch.equal(pad_any(x.clone().requires_grad_(), pad), expected)
    for wrong in [[1.5, 0], (1.0, 2), (np.float64(1), 2), ("1", 2), (None, 1), [(1, 2)]]:
        with pytest.raises(TypeError, match="pad holds .* no integer"):
            pad_any(x, wrong)
    with pytest.raises(TypeError, match=r"pad holds 1.5,"):
        pad_any(x, [1.5, 0])
    with pytest.raises(ValueError, match=f"pad holds {2**64},"):
        pad_any(x, [2**64, 0])


def sparse() -> Any:
    return torch.eye(3).to_sparse()


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (TypeError, "x is a numpy.ndarray.*pad_kernels.pad", (np.zeros(3), (1, 1))),
        (TypeError, "x is a builtins.list", ([1.0], (1, 1))),
        (TypeError, "x is a builtins.list", ([1.0], (1, 1), ["edge"])),
        (TypeError, r"pad is 1,.*sequence", (torch.ones(3), 1)),
        (TypeError, r"pad is 1,.*sequence", (torch.ones(3), 1, ["edge"])),
        (ValueError, "pad has 1 entries, and x 1 axes", (torch.ones(3), (1,))),
        (ValueError, "pad has 4 entries, and x 1 axes", (torch.ones(3), (1,) * 4)),
        (ValueError, "pad has 2 entries, and x 0 axes", (torch.tensor(1.0), (1, 1))),
        (ValueError, "mode is 'mean'.*replicate.*pad_kernels.pad", (torch.ones(3), (1, 1), "mean")),
        (ValueError, "mode is 'empty'", (torch.ones(3), (1, 1), "empty")),
        (ValueError, "mode is 'no'", (torch.ones(3), (1, 1), "no")),
        (ValueError, "mode holds .'edge'.: give one or two", (torch.ones(3), (1, 1), {-1: {"edge"}})),
        (ValueError, "mode holds None: give one or two", (torch.ones(3), (1, 1), {-1: None})),
        (ValueError, "mode holds array.*: give one or two", (torch.ones(3), (1, 1), {-1: np.array("edge")})),
        (TypeError, "mode has the key 'a', which is no axis", (torch.ones(3), (1, 1), {"a": "edge"})),
        (TypeError, "mode has the key -1.5, which is no axis", (torch.ones(3), (1, 1), {-1.5: "edge"})),
        (ValueError, "mode names axis 1 twice", (torch.ones(2, 3), (1, 1), {-1: "edge", 1: "wrap"})),
        (ValueError, "mode names axis 0, and pad has widths of the last 1 of 2", (torch.ones(2, 3), (1, 1), {0: "edge"})),
        (ValueError, "mode is <built-in", (torch.ones(3), (1, 1), len)),
        (ValueError, "value is 3.0, and mode 'reflect'", (torch.ones(3), (1, 1), "reflect", 3.0)),
        (ValueError, "value is nan, and mode 'circular'", (torch.ones(3), (1, 1), "circular", math.nan)),
        (TypeError, "layout torch.sparse_coo.*to_dense", (sparse, (1, 1))),
        (TypeError, "layout torch.sparse_csr.*to_dense", (lambda: torch.eye(3).to_sparse_csr(), (1, 1))),
        (TypeError, "dtype torch.bits8,", (lambda: torch.empty(3, dtype=torch.bits8), (1, 1))),
        (TypeError, "nested.*unbind", (lambda: torch.nested.nested_tensor([torch.ones(2)]), (1, 1))),
        (
            TypeError,
            "torch.quint8.*int_repr.*q_zero_point",
            (lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 3, torch.quint8), (1, 1)),
        ),
    ],
)
def test_what_is_refused(error: Any, words: str, arguments: Any) -> None:
    x, *others = arguments
    with pytest.raises(error, match=words):
        pad_any(x() if callable(x) else x, *others)


def test_errors_of_channels_last_name_their_axis() -> None:
    x = torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last)
    with pytest.raises(ValueError, match="axis 2: length 4 with low -9"):
        torch_pad(x, (0, 0, -9, 0), "replicate")


def test_pairs_of_modes_have_any_type() -> None:
    x, pair = torch.arange(3.0)[None], ("edge", "wrap")
    forms: list[Any] = [pair, list(pair), np.array(pair)]
    for given in forms:
        assert torch.equal(torch_pad(x, (1, 1), {-1: given}), torch_pad(x, (1, 1), [pair]))
    assert torch.equal(pad_any(x, iter((1, 1)), [pair]), torch_pad(x, (1, 1), [pair]))
    for mode in ([pair, "wrap"], {-1: pair, 0: "wrap"}):
        assert torch.equal(compiled(lambda x: pad_any(x, (1, 1, 1, 0), mode))(x), torch_pad(x, (1, 1, 1, 0), [pair, "wrap"]))


def test_empty_tensors() -> None:
    x = torch.ones(0, 3)
    assert torch_pad(x, (1, 1)).shape == (0, 5)
    assert torch.equal(torch_pad(x, (0, 0, 1, 1)), torch.zeros(2, 3))


def test_zero_is_no_value() -> None:
    """The value 0 is valid in modes without a fill, as in torch."""
    x = torch.ones(1, 3)
    assert torch.equal(torch_pad(x, (1, 1), "replicate", 0.0), F(x, (1, 1), "replicate", 0.0))


def test_import_is_free_of_torch() -> None:
    assert run("import sys, pad_kernels; print('torch' in sys.modules)").strip() == "False"
    # To load an exported program, it is enough to import this module, which registers the operators.
    script = "import torch, pad_kernels.torch; print(torch.ops.pad_kernels.pad(torch.ones(1), [1, 1], 'constant', 2).tolist())"
    assert run(script).strip() == "[2.0, 1.0, 2.0]"


# Derivatives

@pytest.mark.parametrize("mode", MODES)
def test_derivatives(mode: str) -> None:
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    for pad in [(2, 3), (1, 1, -1, 2), (0, 1, 4, 0, 1, 1), (0, 0)]:
        for call in (torch_pad, lambda x, pad, mode: torch.ops.pad_kernels.pad(x, list(pad), mode, 0)):
            of = (lambda x: call(x, pad, mode), (x,))
            forward = {"check_forward_ad": True, "check_batched_forward_grad": True} if call is torch_pad else {}
            assert torch.autograd.gradcheck(*of, check_batched_grad=True, **forward)
            assert torch.autograd.gradgradcheck(*of, check_batched_grad=True)


def test_gradients_are_torchs() -> None:
    for dtype in [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.complex64]:
        for mode in ["constant", "reflect", "replicate", "circular"]:
            grads = []
            calls: list[Any] = [torch_pad, F]
            for call in calls:
                y = tensor(dtype, 1, 3, 4).requires_grad_()
                call(y, (3, 2), mode).abs().sum().backward()
                grads.append(y.grad)
            assert torch.equal(*grads)


def test_leaves_and_modes_of_gradients() -> None:
    parameter = torch.nn.Parameter(torch.ones(1, 3))
    for call in (pad_any, F):
        found = call(parameter, (1, 1))
        assert type(found) is torch.Tensor and found.requires_grad and not found.is_leaf
    with torch.no_grad():
        assert not torch_pad(parameter, (1, 1)).requires_grad and not torch_pad(parameter.data.requires_grad_(), (1, 1)).requires_grad
    with torch.inference_mode():
        assert torch_pad(parameter, (1, 1)).is_inference() and torch_pad(torch.ones(3), (1, 1)).is_inference()
    whole = torch.ones(3, dtype=torch.int64)
    assert not torch_pad(whole, (1, 1)).requires_grad
    torch_pad(parameter, (1, 1)).mul_(2).sum().backward()
    assert parameter.grad.tolist() == [[2.0] * 3]
    assert type(torch_pad(parameter, (1, 1)).grad_fn).__name__ == "PadBackward"
    (grad,) = torch.autograd.grad(torch_pad(parameter, (1, 1)), parameter, torch.ones(1, 5, requires_grad=True), create_graph=True)
    assert type(grad.grad_fn).__name__ == "AdjointBackward"


def test_tangents() -> None:
    x, t = torch.randn(2, 4), torch.randn(2, 4)
    with forward_ad.dual_level():
        for mode, value in [("reflect", None), ("constant", 3.0)]:
            dual = forward_ad.make_dual(x, t)
            ours, theirs = (forward_ad.unpack_dual(call(dual, (2, 1), mode, value)) for call in (pad_any, F))
            assert torch.equal(ours.primal, theirs.primal) and torch.equal(ours.tangent, theirs.tangent)


def scalar(call: Any) -> Any:
    return lambda x: call(x, (2, 1), "reflect").sin().sum()


TRANSFORMS: dict[str, Any] = {
    "grad": lambda f: torch.func.grad(f),
    "jacrev": lambda f: torch.func.jacrev(f),
    "jacfwd": lambda f: torch.func.jacfwd(f),
    "hessian": lambda f: torch.func.hessian(f),
    "reverse of reverse": lambda f: torch.func.jacrev(torch.func.jacrev(f)),
    "reverse of forward": lambda f: torch.func.jacrev(torch.func.jacfwd(f)),
    "forward of forward": lambda f: torch.func.jacfwd(torch.func.jacfwd(f)),
    "jvp": lambda f: lambda x: torch.func.jvp(f, (x,), (x,))[1],
    "vjp": lambda f: lambda x: torch.func.vjp(f, x)[1](torch.ones((), dtype=x.dtype))[0],
    "vmap of grad": lambda f: torch.func.vmap(torch.func.grad(lambda x: f(x[None]))),
    "grad of vmap": lambda f: torch.func.grad(lambda x: torch.func.vmap(lambda x: f(x[None]))(x).sum()),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_torch_func(name: str) -> None:
    x = torch.randn(2, 4, dtype=torch.float64)
    torch.testing.assert_close(TRANSFORMS[name](scalar(torch_pad))(x), TRANSFORMS[name](scalar(F))(x))


@pytest.mark.parametrize("mode", MODES)
def test_vmap(mode: str) -> None:
    x = tensor(torch.float32, 2, 3, 4, 5)
    for axis in range(4):
        padded = torch.stack([torch_pad(part, (1, 2), mode) for part in x.unbind(axis)])
        assert torch.equal(torch.vmap(lambda x: torch_pad(x, (1, 2), mode), in_dims=axis)(x), padded)
        direct = torch.vmap(lambda x: torch.ops.pad_kernels.pad(x, [1, 2], mode, 0), in_dims=axis)
        assert torch.equal(direct(x), padded)
    # `vmap` does not map the tensor that is padded here, and the fill must be rounded to float32.
    found = torch.vmap(lambda y: torch_pad(x, (1, 1), value=0.1).sum() + y)(torch.zeros(2))
    assert torch.equal(found, F(x, (1, 1), value=0.1).sum().expand(2))
    assert torch.equal(torch.vmap(lambda x: torch_pad(x, ()))(x[0, 0, 0]), x[0, 0, 0])


# Operators

@pytest.mark.parametrize("mode", MODES)
def test_opcheck(mode: str) -> None:
    x = torch.randn(2, 3, 4, 5)
    cases = [x, x.transpose(1, 2), x.to(memory_format=torch.channels_last), x.clone().requires_grad_(), torch.randn(1, 2)]
    cases += [torch.randn(3, dtype=torch.complex64).conj(), torch.randn(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d)]
    cases += [torch.randn(0, 3)[:, :3] if mode == "constant" else torch.randn(3).double()]
    for case in cases:
        for pad in ([1, 2], [0, 0], [-1, 3]):
            torch.library.opcheck(torch.ops.pad_kernels.pad, (case, pad, mode, 0))
            grad = torch_pad(case, pad, mode).detach().requires_grad_(case.requires_grad)
            torch.library.opcheck(torch.ops.pad_kernels.pad_adjoint, (grad, list(case.shape), pad, mode))


def test_operators_refuse() -> None:
    ours = torch.ops.pad_kernels
    for pad, mode in [([1], "constant"), ([1, 1, 1, 1], "reflect"), ([1, 1], "mean"), ([1, 1], "edge,edge")]:
        words = f"mode '{mode}' and pad {pad} for 1 axes"
        for device in ("cpu", "meta"):
            with pytest.raises(ValueError, match=f"pad_kernels::pad takes .* not {re.escape(words)}"):
                ours.pad(torch.ones(3, device=device), pad, mode, 0)
            with pytest.raises(ValueError, match=f"pad_kernels::pad_adjoint takes .* not {re.escape(words)}"):
                ours.pad_adjoint(torch.ones(3, device=device), [1], pad, mode)
            with pytest.raises(ValueError, match=r"pad_adjoint: shape is \[1, 1\], and grad has 1 axes"):
                ours.pad_adjoint(torch.ones(3, device=device), [1, 1], pad, mode)


class Padding(torch.nn.Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return torch_pad(x, (1, 1), "circular")


class Weighted(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 5))

    def forward(self, x: Any) -> Any:
        return torch_pad(x * self.weight, (1, 1), "symmetric")


def compiled(call: Any, backend: Any = "aot_eager", **given: Any) -> Any:
    torch.compiler.reset()
    return torch.compile(call, fullgraph=True, backend=backend, **given)


@pytest.mark.parametrize("mode", MODES)
def test_compile(mode: str) -> None:
    def of(x: Any) -> Any:
        return torch_pad(x * 2, (1, 1, 2, 0), mode) + 1

    x = torch.randn(2, 3, 4, 5)
    for laid in (x, x.to(memory_format=torch.channels_last)):
        found = compiled(of)(laid)
        assert torch.equal(found, of(laid)) and found.stride() == of(laid).stride()
    grads = []
    for call in (of, compiled(of)):
        y = x.clone().requires_grad_()
        call(y).sin().sum().backward()
        grads.append(y.grad)
    torch.testing.assert_close(*grads)


def test_compile_with_shapes_and_pads_that_change() -> None:
    f = compiled(lambda x, n: torch_pad(x, (1, n, 2, 0), "replicate"), dynamic=True)
    for n in (1, 2, 3, 5):
        x = torch.randn(2, 3, 4 + n, 5)
        assert torch.equal(f(x, n), F(x, (1, n, 2, 0), "replicate"))
    g = compiled(lambda x, value: torch_pad(x, (x.shape[0], 1), value=value), dynamic=True)
    for value in (1.5, 2.5, 3):
        x = torch.randn(2 + int(value), 3, 4, 5)
        assert torch.equal(g(x, value), F(x, (x.shape[0], 1), value=value))
    for fill in (np.float32(2.5), np.int64(2), torch.tensor(2.5)):
        assert torch.equal(compiled(lambda x: pad_any(x, (1, 1), value=fill))(x), F(x, (1, 1), value=fill.item()))
    for side in (np.int64(2), np.uint8(2), np.array(2)):
        assert torch.equal(compiled(lambda x, side: pad_any(x, (1, side)))(x, side), F(x, (1, 2)))


def test_graphs_with_symbolic_pads() -> None:
    testing: Any = pytest.importorskip("torch._dynamo.testing")
    x, count = torch.ones(2, 3), torch.tensor
    calls: list[tuple[Any, Any]] = [
        (lambda pad, x, y: pad(x, (0, 16 - y.shape[0])), [torch.ones(n) for n in range(2, 14)]),
        (lambda pad, x, y: pad(x, (1, y.item())), [count(n) for n in range(2, 14)]),
        (lambda pad, x, y: pad(x, y.tolist()), [count([n, 1]) for n in range(2, 14)]),
    ]
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        for call, given in calls:
            counts = []
            for pad in (pad_any, F):
                backend = testing.CompileCounterWithBackend("aot_eager")
                f = compiled(functools.partial(call, pad), backend)
                assert all(torch.equal(f(x, y), call(F, x, y)) for y in given)
                counts.append(backend.frame_count)
            assert counts[0] == counts[1]


def test_compile_of_the_first_call() -> None:
    """torch compiles the first call in a process, before `pad_kernels.torch` is imported."""
    script = """
import torch
from pad_kernels import torch_pad
f = torch.compile(lambda x: torch_pad(x, (1, 1), "symmetric"), fullgraph=True, backend="aot_eager")
print(f(torch.arange(3.0)).tolist())
"""
    assert run(script).strip() == "[0.0, 0.0, 1.0, 2.0, 2.0]"


@pytest.mark.parametrize("name", ["grad", "jvp", "hessian"])
def test_compile_of_torch_func(name: str) -> None:
    """The result is right, although `torch.compile` makes more than one graph."""
    torch.compiler.reset()
    x = torch.randn(2, 4, dtype=torch.float64)
    found = torch.compile(TRANSFORMS[name](scalar(torch_pad)), backend="aot_eager")(x)
    torch.testing.assert_close(found, TRANSFORMS[name](scalar(F))(x))


def test_export() -> None:
    x, module = torch.randn(2, 3, 4, 5), Padding()
    for strict in (False, True):
        torch.compiler.reset()
        program = torch.export.export(module, (x,), dynamic_shapes=({0: torch.export.Dim("batch")},), strict=strict)
        assert [str(node.target) for node in program.graph.nodes if node.op == "call_function"] == ["pad_kernels.pad.default"]
        kept = io.BytesIO()
        torch.export.save(program, kept)
        kept.seek(0)
        for each in (program, torch.export.load(kept)):
            for batch in (2, 7):
                y = torch.randn(batch, 3, 4, 5)
                assert torch.equal(each.module()(y), module(y))
        weighted = Weighted()
        exported = torch.export.export(weighted, (x,), strict=strict)
        assert torch.equal(exported.module()(x), weighted(x))
        assert "pad_kernels.pad.default" in [str(node.target) for node in exported.graph.nodes]


def test_other_traces() -> None:
    x = torch.randn(2, 3, 4, 5)
    expected = Padding()(x + 1)
    make_fx: Any = pytest.importorskip("torch.fx.experimental.proxy_tensor").make_fx
    for given in (x, x.clone().requires_grad_()):
        assert torch.equal(make_fx(Padding())(given)(x + 1), expected)
        assert torch.equal(torch.jit.trace(Padding(), (given,))(x + 1), expected)
    assert torch.equal(torch.fx.symbolic_trace(Padding())(x + 1), expected)
    y = torch.randn(2, 4)
    gradient = make_fx(torch.func.grad(scalar(torch_pad)))(y)
    torch.testing.assert_close(gradient(y + 1), torch.func.grad(scalar(F))(y + 1))


def test_tensors_without_memory() -> None:
    fake: Any = pytest.importorskip("torch._subclasses.fake_tensor")
    for mode in MODES:
        x = torch.empty(2, 3, 4, device="meta", dtype=torch.float64, requires_grad=True)
        found = torch_pad(x, (1, -1, 2, 0), mode)
        assert found.shape == (2, 5, 4) and found.device.type == "meta" and found.dtype == torch.float64
        found.sum().backward()
        assert x.grad.shape == x.shape and x.grad.device.type == "meta"
        with fake.FakeTensorMode():
            found = torch_pad(torch.empty(2, 3), (1, 2), mode)
            assert isinstance(found, fake.FakeTensor) and found.shape == (2, 6)
            if mode == "constant":
                with pytest.raises(ValueError, match="value is 1e"):
                    torch_pad(torch.empty(2, 3), (1, 2), value=1e300)


@pytest.mark.parametrize(
    ("shape", "dtype", "pad", "mode", "value"),
    [
        ((2, 0), "float32", (1, 0), [("constant", "edge")], None), ((2, 0), "float32", (0, 1), [("constant", "edge")], None),
        ((2, 3), "float32", (-3, 3), "circular", None), ((2, 3), "float32", (-4, 2), "replicate", None),
        ((2, 3), "float32", (-4, 0), "reflect", None), ((2, 0), "float32", (0, 0, 1, 1), "edge", None),
        ((), "float32", (), "circular", None), ((2,), "uint8", (1, 1), "constant", 300), ((2,), "uint8", (1, 1), "constant", 3j),
        ((2,), "float16", (1, 1), "constant", 65519.0), ((2,), "float16", (1, 1), "constant", 65520.0),
        ((2,), "float8_e8m0fnu", (1, 1), "constant", 0), ((2,), "float32", (1, 1), [("edge", "constant")], 1e300),
    ],
)  # fmt: skip
def test_tensors_without_memory_have_the_same_errors(shape: Any, dtype: str, pad: Any, mode: Any, value: Any) -> None:
    outcomes: list[Any] = []
    for device in ("cpu", "meta"):
        try:
            found = torch_pad(torch.zeros(shape, device=device).to(getattr(torch, dtype)), pad, mode, value)
            outcomes.append((found.shape, found.stride()))
        except (TypeError, ValueError) as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


# Subclasses and modes

class Tagged(torch.Tensor):  # type: ignore[misc]
    """A subclass that behaves like a tensor."""


class Recorded(torch.Tensor):  # type: ignore[misc]
    calls: list[Any] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.calls.append((func, len(args), kwargs))
        return "padded"


def test_subclasses() -> None:
    x = torch.randn(2, 3).as_subclass(Tagged)
    for mode in MODES:
        for given in (x, x.detach().requires_grad_()):
            found = torch_pad(given, (1, 2), mode)
            assert type(found) is Tagged is type(F(given, (1, 2)))
            assert torch.equal(found, torch_pad(given.as_subclass(torch.Tensor), (1, 2), mode))
    calls = Recorded.calls
    assert torch_pad(torch.ones(2).as_subclass(Recorded), (1, 1), value=2.0) == "padded"
    assert calls == [(torch_pad, 2, {"mode": "constant", "value": 2.0})]


def test_modes_of_torch_see_the_call() -> None:
    functions: list[Any] = []
    operators: list[Any] = []

    class Functions(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            functions.append(func)
            return func(*args, **(kwargs or {}))

    dispatch: Any = pytest.importorskip("torch.utils._python_dispatch")

    class Operators(dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            operators.append(func)
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, 3)
    with Functions():
        assert torch.equal(torch_pad(x, (1, 1)), F(x, (1, 1)))
    assert torch_pad in functions
    y = x.clone().requires_grad_()
    with Operators():
        torch_pad(x, (1, 1))
        torch_pad(y, (1, 1), "replicate").sum().backward()
    ours = torch.ops.pad_kernels
    assert operators.count(ours.pad.default) == 2 and operators.count(ours.pad_adjoint.default) == 1
    with torch.device("meta"):
        assert torch_pad(x, (1, 1)).device.type == "cpu"


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16])
def test_gradients_of_narrow_floats(dtype: Any) -> None:
    grads = []
    for call in (torch_pad, torch.nn.functional.pad):
        x = torch.ones(3, dtype=dtype, requires_grad=True)
        grads += torch.autograd.grad(call(x, (1, 2)).float().sum(), x)
    assert torch.equal(grads[0].float(), grads[1].float())


def test_a_fill_that_wants_a_gradient_is_refused() -> None:
    with pytest.raises(TypeError, match="value is a tensor that requires a gradient, which would be lost"):
        torch_pad(torch.ones(2), (1, 1), value=torch.tensor(2.0, requires_grad=True))
