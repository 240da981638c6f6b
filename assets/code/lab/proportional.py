import torch

base = 1000000.0
rotary_dim = 512
partial = 0.25
factor = 1.0

# The first part of the pairs turns as in a whole head, the rest stands still.
turning = int(partial * rotary_dim // 2)
exponents = torch.arange(0, 2 * turning, 2).float() / rotary_dim
inv_freq = torch.cat([1 / base**exponents, torch.zeros(rotary_dim // 2 - turning)]) / factor
attention_factor = 1.0
result = inv_freq
print(attention_factor, result)
