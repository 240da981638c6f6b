import torch

base = 10000.0
rotary_dim = 128
factor = 2.0
max_positions = 2048
seq_len = 4096

# Beyond max_positions the base grows with the length.
stretch = factor * max(seq_len or 0, max_positions) / max_positions - (factor - 1)
grown = base * stretch ** (rotary_dim / (rotary_dim - 2))
exponents = torch.arange(0, rotary_dim, 2).float() / rotary_dim
inv_freq = 1 / grown**exponents
attention_factor = 1.0
result = inv_freq
print(attention_factor, result)
