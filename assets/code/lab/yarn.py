import math

import torch

base = 150000.0
rotary_dim = 64
factor = 32.0
original_positions = 4096
beta_fast = 32.0
beta_slow = 1.0
truncate = False
mscale = 0.0
mscale_all_dim = 0.0
attention_factor = None


def edge(turns: float) -> float:
    return rotary_dim * math.log(original_positions / (turns * 2 * math.pi)) / (2 * math.log(base))


def magnitude(scale: float = 1.0) -> float:
    return 0.1 * scale * math.log(factor) + 1.0 if factor > 1 else 1.0


low, high = edge(beta_fast), edge(beta_slow)
if truncate:
    low, high = math.floor(low), math.ceil(high)
low, high = max(low, 0), min(high, rotary_dim - 1)
high += 0.001 if low == high else 0

powers = base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim)
kept = 1 - ((torch.arange(len(powers)).float() - low) / (high - low)).clamp(0, 1)
inv_freq = 1 / (factor * powers) * (1 - kept) + 1 / powers * kept
if attention_factor is None:
    both = mscale and mscale_all_dim
    attention_factor = magnitude(mscale) / magnitude(mscale_all_dim) if both else magnitude()
result = inv_freq
print(attention_factor, result)
