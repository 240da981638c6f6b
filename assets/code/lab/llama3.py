import math

import torch

base = 500000.0
rotary_dim = 128
factor = 8.0
low_freq_factor = 1.0
high_freq_factor = 4.0
original_positions = 8192

inv_freq = 1 / base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim)
wavelength = 2 * math.pi / inv_freq
share = (original_positions / wavelength - low_freq_factor) / (high_freq_factor - low_freq_factor)
blended = (1 - share) * inv_freq / factor + share * inv_freq
is_slow = wavelength > original_positions / low_freq_factor
is_fast = wavelength < original_positions / high_freq_factor
inv_freq = torch.where(is_slow, inv_freq / factor, torch.where(is_fast, inv_freq, blended))
attention_factor = 1.0
result = inv_freq
print(attention_factor, result)
