"""The rotation of `rope_core.rotate` for torch tensors, as models run it: angles in float32, gradients included.

Where one table of positions serves many tensors (q and k, every layer), make it once with `cos_sin` and `turn`
each of them; `rotate` does both.
"""

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from rope_core.checks import aligned_shape, check_rotary_width, finite_number
from rope_core.rotation import Layout, check_layout

HUGE_PAGES_FROM = 4 * 2**20
"""Bytes from which numpy asks the system for huge pages."""


def cos_sin(
    positions: Tensor | ArrayLike, inv_freq: Tensor | ArrayLike, attention_factor: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Return cosine and sine of position · frequency, each times attention_factor.

    positions: tokens, any shape and dtype. inv_freq: `(pairs,)`, radians per token.
    Both results are float32, `(*positions.shape, pairs)`, on the device of positions: what the RotaryEmbedding
    classes of transformers compute before they cast, without the second copy of the pairs.
    ValueError if a value is not finite or inv_freq has another shape.
    """
    places = _finite_float32("positions", torch.as_tensor(positions))
    frequencies = _finite_float32("inv_freq", torch.as_tensor(inv_freq, device=places.device))
    if frequencies.ndim != 1:
        raise ValueError(f"inv_freq must be one-dimensional, got shape {tuple(frequencies.shape)}")
    angles = places.unsqueeze(-1) * frequencies
    factor = finite_number("attention_factor", attention_factor)
    return angles.cos() * factor, angles.sin() * factor


def turn(x: Tensor, cos: Tensor, sin: Tensor, layout: Layout = "interleaved") -> Tensor:
    """Return `x` with each pair turned: (x0·cos − x1·sin, x0·sin + x1·cos).

    x: `(..., seq, head_dim)`, any floating dtype. The first 2·pairs entries turn, the rest pass untouched.
    cos, sin: `(seq, pairs)` from `cos_sin`, or with axes before seq that line up with the first axes of x, so that
    positions `(batch, seq)` serve an x of `(batch, heads, seq, head_dim)`.
    Products are formed in float32 or wider and rounded once to the dtype of x. The result is a new tensor.
    ValueError for shapes that do not fit, an unknown layout, an x that is not floating.
    """
    check_layout(layout)
    if not x.is_floating_point() or x.ndim == 0:
        raise ValueError(f"x must be a floating tensor (..., seq, head_dim), got {x.dtype} of shape {tuple(x.shape)}")
    if cos.shape != sin.shape or cos.ndim == 0:
        raise ValueError(f"cos and sin must share a shape, got {tuple(cos.shape)} and {tuple(sin.shape)}")
    check_rotary_width(cos.shape[-1], x.shape[-1])
    table_shape = (*aligned_shape(tuple(cos.shape[:-1]), tuple(x.shape[:-1])), cos.shape[-1])
    width = 2 * cos.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    cos, sin = (table.reshape(table_shape).to(dtype) for table in (cos, sin))
    turning = x[..., :width].to(dtype)
    turned = _turn_half(turning, cos, sin) if layout == "half" else _turn_interleaved(turning, cos, sin, layout)
    turned = turned.to(x.dtype)
    return turned if width == x.shape[-1] else torch.cat((turned, x[..., width:]), dim=-1)


def rotate(
    x: Tensor,
    positions: Tensor | ArrayLike,
    inv_freq: Tensor | ArrayLike,
    layout: Layout = "interleaved",
    attention_factor: float = 1.0,
) -> Tensor:
    """Return `x` turned as by `rope_core.rotate`: `cos_sin`, then `turn`, which state shapes and errors."""
    cos, sin = cos_sin(torch.as_tensor(positions, device=x.device), inv_freq, attention_factor)
    return turn(x, cos, sin, layout)


def _turn_half(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the pairs (i, i + pairs), adding into the one new buffer: far fewer passes over memory."""
    pairs = cos.shape[-1]
    turned = _product(x.reshape(*x.shape[:-1], 2, pairs), cos.unsqueeze(-2)).flatten(-2)
    turned[..., :pairs].addcmul_(x[..., pairs:], sin, value=-1)
    turned[..., pairs:].addcmul_(x[..., :pairs], sin)
    return turned


def _turn_interleaved(x: Tensor, cos: Tensor, sin: Tensor, layout: Layout) -> Tensor:
    """Turn the pairs (2i, 2i + 1) as complex numbers, in a single multiplication."""
    turned = _product(_as_complex(x.reshape(*x.shape[:-1], cos.shape[-1], 2)), torch.complex(cos, sin))
    if layout == "interleaved":
        return torch.view_as_real(turned).flatten(-2)
    return torch.cat((turned.real, turned.imag), dim=-1)


def _product(x: Tensor, table: Tensor) -> Tensor:
    """Return x · table in a new tensor of x's shape.

    Touching the pages of a large result for the first time takes longer than the products, and far less so
    on the huge pages that numpy asks for and torch does not. Autograd needs memory of torch's own.
    """
    recorded = torch.is_grad_enabled() and (x.requires_grad or table.requires_grad)
    if recorded or x.device.type != "cpu" or x.nbytes < HUGE_PAGES_FROM:
        return x * table
    memory = torch.from_numpy(np.empty(x.nbytes, np.uint8))
    return torch.mul(x, table, out=memory.view(x.dtype).view(x.shape))


def _as_complex(pairs: Tensor) -> Tensor:
    """View `(..., 2)` as complex numbers, over a copy where their memory does not start at even places."""
    *outer, inner = pairs.stride()
    if inner != 1 or pairs.storage_offset() % 2 or any(stride % 2 for stride in outer):
        pairs = pairs.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(pairs)


def _finite_float32(name: str, values: Tensor) -> Tensor:
    """Return `values` in float32; ValueError unless every one of them is finite there."""
    rounded = values.to(torch.float32)
    finite = rounded.isfinite()
    if not finite.all():
        raise ValueError(f"{name} must be finite in float32, got {values[~finite][0].item()} among them")
    return rounded
