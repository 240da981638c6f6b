"""The torch twin: the numpy rotation in every dtype and shape, with gradients."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given

from rope_core import inverse_frequencies, rotate, tensors
from rope_core.rotation import LAYOUTS
from tests.rope_core.turnings import SEQ, factors, positions, turnings

MANY = torch.arange(SEQ)


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64).to(dtype)


@given(turnings(), positions, factors)
def test_it_is_the_numpy_rotation(turning, start, factor):
    x, inv_freq, layout = torch.from_numpy(turning.x), turning.inv_freq, turning.layout
    turned = tensors.rotate(x, start + MANY, inv_freq, layout, factor)
    exact = rotate(turning.x, start + MANY.numpy(), inv_freq, layout, factor)
    assert turned.dtype == torch.float64
    # A float32 angle is off by at most about 1.2e-7 of itself; a pair is at most 8·√2 long, the factor at most 4.
    np.testing.assert_allclose(turned, exact, atol=4 * 12 * (1 + abs(start) + SEQ) * 1.3e-7, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_every_dtype_is_rounded_once_and_kept(layout, dtype):
    x = random(2, 3, 5, 10, dtype=dtype)
    places, inv_freq = torch.arange(5) + 1000, inverse_frequencies(8)
    turned = tensors.rotate(x, places, inv_freq, layout, 1.5)
    assert turned.dtype == dtype
    wide = tensors.rotate(x.double(), places, inv_freq, layout, 1.5)
    torch.testing.assert_close(turned.double(), wide, atol=1e-6, rtol=torch.finfo(dtype).eps)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_of_each_batch_serve_all_its_heads(layout):
    x, inv_freq = random(2, 2, 3, 6), inverse_frequencies(4)
    places = torch.tensor([[0, 1, 2], [70, 80, 90]])
    turned = tensors.rotate(x, places, inv_freq, layout)
    np.testing.assert_allclose(turned, rotate(x.numpy(), places.numpy(), inv_freq, layout), atol=1e-4)
    torch.testing.assert_close(turned[1], tensors.rotate(x[1], places[1], inv_freq, layout))
    torch.testing.assert_close(turned, tensors.rotate(x, places[:, None], inv_freq, layout))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_order_and_offset_do_not_matter(layout):
    places, inv_freq = torch.tensor([5, 6]), inverse_frequencies(6)
    memory = random(72)
    for x in (
        memory[1:37].view(3, 2, 6),
        memory[:42].view(3, 2, 7),
        memory[:42].view(7, 2, 3).transpose(0, 2),
        memory[::2].view(3, 2, 6),
        memory[:12].view(2, 6).expand(3, 2, 6),
    ):
        expected = tensors.rotate(x.clone(memory_format=torch.contiguous_format), places, inv_freq, layout)
        before = x.clone()
        torch.testing.assert_close(tensors.rotate(x, places, inv_freq, layout), expected, atol=0, rtol=0)
        torch.testing.assert_close(x, before, atol=0, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_frequency_turns_nothing(layout):
    x = random(2, 3)
    turned = tensors.rotate(x, torch.tensor([4, 5]), [], layout, 2.0)
    torch.testing.assert_close(turned, x, atol=0, rtol=0)
    assert turned.data_ptr() != x.data_ptr()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_of_vectors_and_tables(layout):
    cos, sin = (table.double().requires_grad_() for table in tensors.cos_sin(MANY + 40, inverse_frequencies(4), 1.2))
    x = random(2, SEQ, 5, dtype=torch.float64).requires_grad_()

    def turn(x, cos, sin):
        return tensors.turn(x, cos, sin, layout)

    assert torch.autograd.gradcheck(turn, (x, cos, sin))
    assert torch.autograd.gradgradcheck(turn, (x, cos, sin))


def test_frequencies_can_be_learned():
    inv_freq = torch.tensor([0.5, 0.25], requires_grad=True)
    x = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
    tensors.rotate(x, torch.tensor([3]), inv_freq)[0, 1].backward()
    assert inv_freq.grad is not None
    # d/df sin(3f) = 3·cos(3f)
    torch.testing.assert_close(inv_freq.grad, torch.tensor([3 * math.cos(1.5), 0.0]))


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_the_gradient_of_a_turn_is_the_turn_back(layout):
    x, upstream = random(SEQ, 6).requires_grad_(), random(SEQ, 6).flip(0)
    inv_freq = inverse_frequencies(6)
    tensors.rotate(x, MANY, inv_freq, layout).backward(upstream)
    torch.testing.assert_close(x.grad, tensors.rotate(upstream, -MANY, inv_freq, layout))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_large_tensors_turn_alike_with_and_without_gradients(layout):
    x = random(2, 8, 512, 128)
    assert x.nbytes >= tensors.HUGE_PAGES_FROM
    cos, sin = tensors.cos_sin(torch.arange(512), inverse_frequencies(128))
    quiet = tensors.turn(x, cos, sin, layout)
    np.testing.assert_allclose(quiet, rotate(x.numpy(), range(512), inverse_frequencies(128), layout), atol=2e-4)
    recorded = tensors.turn(x.clone().requires_grad_(), cos, sin, layout)
    assert recorded.requires_grad
    torch.testing.assert_close(recorded.detach(), quiet)
    with torch.no_grad():
        torch.testing.assert_close(tensors.turn(x.requires_grad_(), cos, sin, layout), quiet)


def test_cos_sin_takes_positions_of_any_shape_and_dtype():
    inv_freq = torch.tensor([1.0, 0.5], dtype=torch.float64)
    for dtype in (torch.int32, torch.int64, torch.float16, torch.float64):
        cos, sin = tensors.cos_sin(torch.tensor([[0, 2], [4, 6]], dtype=dtype), inv_freq, 2.0)
        assert cos.dtype == sin.dtype == torch.float32
        assert cos.shape == sin.shape == (2, 2, 2)
        assert (cos[1, 0, 1].item(), sin[1, 0, 1].item()) == pytest.approx((2 * math.cos(2), 2 * math.sin(2)))


X = torch.ones(2, 4)
COS = torch.ones(2, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tensors.turn(X, COS, COS, "neox"), "layout must be one of .*'neox'"),
        (lambda: tensors.turn(X.long(), COS, COS), "x must be a floating tensor .* got torch.int64"),
        (lambda: tensors.turn(torch.tensor(1.0), COS, COS), r"x must be a floating tensor .* of shape \(\)"),
        (lambda: tensors.turn(X, COS, COS[:1]), r"cos and sin must share a shape, got \(2, 1\) and \(1, 1\)"),
        (
            lambda: tensors.turn(X, torch.ones(2, 3), torch.ones(2, 3)),
            "3 frequencies turn 6 entries, but head_dim is 4",
        ),
        (
            lambda: tensors.turn(X, torch.ones(3, 1), torch.ones(3, 1)),
            r"shape \(3,\) do not fit the leading axes \(2,\)",
        ),
        (lambda: tensors.rotate(X, torch.ones(1, 2), [1.0]), r"shape \(1, 2\) do not fit"),
        (lambda: tensors.rotate(X, torch.tensor([0.0, math.nan]), [1.0]), "positions must be finite .* got nan"),
        (lambda: tensors.cos_sin(np.array([1e300]), [1.0]), "positions must be finite in float32, got 1e.300 among"),
        (lambda: tensors.cos_sin([1], [math.inf]), "inv_freq must be finite .* got inf"),
        (lambda: tensors.cos_sin([1], [[1.0]]), r"inv_freq must be one-dimensional, got shape \(1, 1\)"),
        (lambda: tensors.cos_sin([1], [1.0], math.inf), "attention_factor must be a finite number, got inf"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
