"""Gradients: adjoints of plans, and torch's tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pad_kernels import Plan, torch_pad

MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_adjoints_are_adjoint(data: st.DataObject) -> None:
    """<pad(x), g> equals <x, adjoint(g)>, exactly in integers, which wrap."""
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    side = st.integers(0, 9)
    widths = data.draw(st.lists(st.tuples(side, side), min_size=len(shape), max_size=len(shape)))
    dtype = data.draw(st.sampled_from(["i1", "u2", "i4", "i8"]))
    plan = Plan(shape, dtype, widths, data.draw(st.sampled_from(MODES)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x, g = (rng.integers(0, 100, of).astype(dtype) for of in (shape, plan.output_shape))
    left = (plan(x) * g).sum(dtype=dtype)
    assert left == (x * plan.adjoint(g)).sum(dtype=dtype)
    box = [sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in plan.output_shape]
    window = plan.window([(start, stop) for start, stop in box])
    of_box = np.zeros_like(g)
    inside = tuple(slice(*ends) for ends in box)
    of_box[inside] = g[inside]
    np.testing.assert_array_equal(window.adjoint(g[inside]), plan.adjoint(of_box))


def test_gradients_that_are_none() -> None:
    with pytest.raises(ValueError, match=r"the gradient has shape \[4\], and the result \[5\]"):
        Plan(3, "f8", 1, "edge").adjoint(np.ones(4))
    with pytest.raises(TypeError, match="not added up"):
        Plan(3, "M8[s]", 1, "edge").adjoint(np.zeros(5, "M8[s]"))


@pytest.mark.parametrize(
    ("dtype", "grad"),
    [
        ("f4", np.full(5, 0.1)),
        ("i4", np.full(5, 1.5)),
        ("i1", np.full(5, 300)),
        ("f8", np.full(5, 1j)),
        ("f8", np.ones(5, ">f8")),
        (">f8", np.ones(5, "<f8")),
        ("f8", [1, 2, 3, 4, 5]),
    ],
)
def test_gradients_of_another_dtype_are_refused_as_arrays_are(dtype: str, grad: Any) -> None:
    plan = Plan(3, dtype, 1, "edge")
    with pytest.raises(TypeError, match=f"the gradient has dtype .*, and the plan {np.dtype(dtype)}"):
        plan.adjoint(grad)
    with pytest.raises(TypeError, match=f"the array has dtype .*, and the plan {np.dtype(dtype)}"):
        plan(np.asarray(grad)[1:4])


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i2", ">c16"])
def test_gradients_may_be_big_endian(dtype: str) -> None:
    native = np.dtype(dtype).newbyteorder("=")
    grad = np.arange(9).astype(native)
    expected = Plan(5, native, 2, "reflect").adjoint(grad)
    found = Plan(5, dtype, 2, "reflect").adjoint(grad.astype(dtype))
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, expected)


def test_gradients_go_where_they_are_wanted() -> None:
    plan = Plan((3, 4), "f8", 1, "wrap")
    grad = np.arange(30.0).reshape(5, 6)
    expected = plan.adjoint(grad)
    whole = np.full((3, 8), 7.0)
    assert plan.adjoint(grad, whole[:, ::2], threads=2).base is whole
    np.testing.assert_array_equal(whole[:, ::2], expected)
    assert (whole[:, 1::2] == 7).all()
    # The memory may be part of the gradient's.
    plan.adjoint(grad, out=grad[1:4, 1:5])
    np.testing.assert_array_equal(grad[1:4, 1:5], expected)
    with pytest.raises(ValueError, match=r"out has shape \[3, 5\], and the plan \[3, 4\]"):
        plan.adjoint(grad, np.empty((3, 5)))
    with pytest.raises(TypeError, match="out has dtype float32, and the plan float64"):
        plan.adjoint(grad, np.empty((3, 4), "f4"))


def test_threads_add_up_the_same() -> None:
    plan = Plan((300, 700), "f8", 20, "reflect")
    grad = np.random.default_rng(0).random(plan.output_shape)
    np.testing.assert_array_equal(plan.adjoint(grad, threads=-1), plan.adjoint(grad))


def tensors(torch: Any, dtype: Any, *shape: int) -> Any:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(0, 100, shape, generator=generator).to(dtype)


def test_torch_pads_the_same() -> None:
    torch = pytest.importorskip("torch")
    count = 0
    for dtype in [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.bool, torch.complex64]:
        for mode in ["constant", "reflect", "replicate", "circular"]:
            x = tensors(torch, dtype, 2, 3, 5, 6)
            for pad in [(1, 2), (2, 1, 3, 2), (-1, 2, 0, 1), (0, 0, 0, 0)]:
                try:
                    expected = torch.nn.functional.pad(x, pad if mode == "constant" else (*pad, 0, 0)[:4], mode)
                except (NotImplementedError, RuntimeError):
                    continue
                pad = pad if mode == "constant" else (*pad, 0, 0)[:4]
                for laid in (x, x.transpose(1, 3).contiguous().transpose(1, 3)):
                    found = torch_pad(laid, pad, mode)
                    assert found.dtype == dtype and torch.equal(found, expected)
                count += 1
    assert count > 60
    x = tensors(torch, torch.float32, 3, 4)
    assert torch.equal(torch_pad(x, (1, 2), value=7.5), torch.nn.functional.pad(x, (1, 2), value=7.5))
    ours = torch_pad(x, (0, 0, 2, 5), "symmetric")
    np.testing.assert_array_equal(ours.numpy(), np.pad(x.numpy(), ((2, 5), (0, 0)), "symmetric"))
    ours = torch_pad(x.T.conj(), (9, 9, 1, 0), "reflect")
    np.testing.assert_array_equal(ours.numpy(), np.pad(x.numpy().T, ((1, 0), (9, 9)), "reflect"))
    eights = tensors(torch, torch.float32, 4).to(torch.float8_e4m3fn)
    assert torch_pad(eights, (2, 2), "circular").view(torch.uint8).tolist() == np.pad(eights.view(torch.uint8), 2, "wrap").tolist()


def test_torch_differentiates() -> None:
    torch = pytest.importorskip("torch")
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    for mode in ["constant", "reflect", "replicate", "circular", "symmetric"]:
        for pad in [(2, 3), (1, 1, -1, 2), (0, 1, 4, 0, 1, 1)]:
            def padded(x: Any, pad: Any = pad, mode: str = mode) -> Any:
                return torch_pad(x, pad, mode)

            assert torch.autograd.gradcheck(padded, (x,)) and torch.autograd.gradgradcheck(padded, (x,))
    for dtype in [torch.float32, torch.bfloat16, torch.float16, torch.complex64]:
        grads = []
        calls: list[Any] = [torch_pad, torch.nn.functional.pad]
        for call in calls:
            y = tensors(torch, dtype, 1, 3, 4).requires_grad_()
            call(y, (3, 2), "reflect").abs().sum().backward()
            grads.append(y.grad)
        assert torch.equal(*grads)


def test_torch_is_refused() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 3)
    wrong: list[Any] = [((1,),), ((1,) * 6,), ((1, 1), "mean"), ((1, 1), "reflect", 3.0)]
    for arguments in wrong:
        with pytest.raises(ValueError):
            torch_pad(x, *arguments)
    with pytest.raises(TypeError, match="on the CPU"):
        torch_pad(torch.ones(3, device="meta"), (1, 1))
