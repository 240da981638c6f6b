import torch

base = 500000.0
rotary_dim = 128

exponents = torch.arange(0, rotary_dim, 2).float() / rotary_dim
inv_freq = 1 / base**exponents
attention_factor = 1.0
result = inv_freq
print(attention_factor, result)
