import math

import torch

base = 10000.0
rotary_dim = 8
factor = 32.0
original_positions = 4096
attention_factor = None
short_factor = [1.0, 1.0, 1.0, 1.0]
long_factor = [1.0, 2.0, 16.0, 32.0]
seq_len = 4097

# Beyond original_positions the long factors take over, at every position.
is_long = (seq_len or 0) > original_positions
stretch = torch.tensor(long_factor if is_long else short_factor)
exponents = torch.arange(0, rotary_dim, 2).float() / rotary_dim
inv_freq = 1 / (stretch * base**exponents)
if attention_factor is None:
    attention_factor = math.sqrt(1 + math.log(factor) / math.log(original_positions)) if factor > 1 else 1.0
result = inv_freq
print(attention_factor, result)
