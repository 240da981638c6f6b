import torch

base = 1000000.0
rotary_dim = 256
factor = 8.0

exponents = torch.arange(0, rotary_dim, 2).float() / rotary_dim
inv_freq = 1 / base**exponents / factor
attention_factor = 1.0
result = inv_freq
print(attention_factor, result)
