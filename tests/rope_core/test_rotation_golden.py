"""rope_core against what transformers stored, and against transformers' own functions run here."""

import numpy as np
import pytest
import torch
from transformers import DeepseekV3Config, GptOssConfig, Phi3Config
from transformers.models.deepseek_v3 import modeling_deepseek_v3
from transformers.models.gpt_oss import modeling_gpt_oss
from transformers.models.phi3 import modeling_phi3

from rope_core import inverse_frequencies, rotate, scores, tensors
from tests.rope_core.golden import COS_SIN, GOLDEN, ROTATIONS, TABLES


@pytest.mark.parametrize("name", ROTATIONS)
@pytest.mark.parametrize("side", ["q", "k"])
def test_numpy_rotations(name, side):
    row = ROTATIONS[name]
    inv_freq = inverse_frequencies(row["rotary_dim"], row["base"])
    turned = rotate(row[side], row["positions"], inv_freq, row["layout"], row["attention_factor"])
    assert turned.dtype == np.float64
    atol = 2e-6 if max(row["positions"]) < 10 else 2e-5
    np.testing.assert_allclose(turned, row[f"{side}_rot"], atol=atol, rtol=0)


@pytest.mark.parametrize("name", ROTATIONS)
@pytest.mark.parametrize("side", ["q", "k"])
def test_torch_rotations(name, side):
    row = ROTATIONS[name]
    inv_freq = torch.from_numpy(inverse_frequencies(row["rotary_dim"], row["base"])).float()
    x, positions = torch.tensor(row[side]), torch.tensor(row["positions"])
    turned = tensors.rotate(x, positions, inv_freq, row["layout"], row["attention_factor"])
    torch.testing.assert_close(turned, torch.tensor(row[f"{side}_rot"]), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", [name for name, row in ROTATIONS.items() if "scores" in row])
def test_numpy_scores(name):
    row = ROTATIONS[name]
    inv_freq = inverse_frequencies(row["rotary_dim"], row["base"])
    table = scores(row["q"], row["k"], row["positions"], row["positions"], inv_freq, row["layout"])
    np.testing.assert_allclose(table, row["scores"], atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", COS_SIN)
def test_torch_cos_and_sin(name):
    row, table = COS_SIN[name], TABLES[name]
    inv_freq = torch.tensor(table["inv_freq"], dtype=torch.float32)
    cos, sin = tensors.cos_sin(torch.tensor(row["positions"]), inv_freq, table["attention_factor"])
    torch.testing.assert_close(cos, torch.tensor(row["cos"]), atol=2e-7, rtol=0)
    torch.testing.assert_close(sin, torch.tensor(row["sin"]), atol=2e-7, rtol=0)


@pytest.mark.parametrize("name", COS_SIN)
def test_numpy_cos_and_sin(name):
    row, table = COS_SIN[name], TABLES[name]
    positions, pairs = np.array(row["positions"]), len(table["inv_freq"])
    ones = np.tile([1.0] * pairs + [0.0] * pairs, (len(positions), 1))
    turned = rotate(ones, positions, table["inv_freq"], "half", table["attention_factor"])
    error = np.abs(turned - np.hstack((row["cos"], row["sin"])))
    # transformers multiplies a float32 cosine by the factor, which rounds once more.
    rounding = 0.0 if table["attention_factor"] == 1 else np.spacing(np.float32(table["attention_factor"]))
    assert (error <= 2e-8 * (1 + positions[:, np.newaxis]) + rounding).all()


def test_angles_are_float32_before_any_rounding_to_bfloat16():
    row = GOLDEN["bf16"]
    pairs = row["head_dim"] // 2
    inv_freq = inverse_frequencies(row["head_dim"], row["base"])
    cos, sin = tensors.cos_sin(torch.tensor(row["positions"]), inv_freq)
    torch.testing.assert_close(cos.bfloat16().float(), torch.tensor(row["cos_cast_late"])[:, :pairs], atol=0, rtol=0)
    q = torch.tensor(row["q"], dtype=torch.bfloat16)
    # transformers rounds every product to bfloat16, tensors.turn only the result: three roundings of values up to 2.
    expected = torch.tensor(row["q_rot_bf16"], dtype=torch.bfloat16)
    torch.testing.assert_close(tensors.turn(q, cos, sin, "half"), expected, atol=3 * 2**-8, rtol=0)


def phi3():
    """Partial rotary (48 of 64 entries), LongRoPE factors and their attention factor."""
    config = Phi3Config(
        hidden_size=256,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=131_072,
        original_max_position_embeddings=4096,
        rope_parameters={
            "rope_type": "longrope",
            "rope_theta": 10000.0,
            "partial_rotary_factor": 0.75,
            "short_factor": [1.0 + 0.02 * i for i in range(24)],
            "long_factor": [1.0 + 2.0 * i for i in range(24)],
        },
        pad_token_id=0,
    )
    return modeling_phi3.Phi3RotaryEmbedding(config), modeling_phi3.apply_rotary_pos_emb, 64, "half"


def gpt_oss():
    """YaRN in its default configuration, with an attention factor of 1.3466."""
    embedding = modeling_gpt_oss.GptOssRotaryEmbedding(GptOssConfig())
    return embedding, modeling_gpt_oss.apply_rotary_pos_emb, 64, "half"


def deepseek_v3():
    """Read interleaved, written as halves, and YaRN with an attention factor of its own."""
    config = DeepseekV3Config(
        max_position_embeddings=163_840,
        rope_parameters={
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": 40.0,
            "original_max_position_embeddings": 4096,
            "attention_factor": 1.25,
        },
    )
    embedding = modeling_deepseek_v3.DeepseekV3RotaryEmbedding(config)
    return embedding, modeling_deepseek_v3.apply_rotary_pos_emb_interleave, 64, "interleaved_to_half"


@pytest.mark.parametrize(("model", "attention_factor"), [(phi3, 1.1902381), (gpt_oss, 1.3465736), (deepseek_v3, 1.25)])
def test_transformers_own_functions(model, attention_factor):
    embedding, apply, head_dim, layout = model()
    assert embedding.attention_scaling == pytest.approx(attention_factor)
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn((2, 4, 5, head_dim), generator=generator), torch.randn((2, 1, 5, head_dim), generator=generator)
    position_ids = torch.tensor([[0, 1, 2, 3, 4], [7, 90, 300, 1000, 2047]])
    cos, sin = embedding(q, position_ids)
    inv_freq, factor = embedding.inv_freq, embedding.attention_scaling
    for x, expected in zip((q, k), apply(q, k, cos, sin), strict=True):
        turned = tensors.rotate(x, position_ids, inv_freq, layout, factor)
        torch.testing.assert_close(turned, expected, atol=2e-6, rtol=0)
        exact = rotate(x.numpy(), position_ids, inv_freq, layout, factor)
        np.testing.assert_allclose(exact, expected.numpy(), atol=1e-3, rtol=0)
