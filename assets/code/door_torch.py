import torch

from rope_core.demo import demo_pair

b, d, m = 10_000, 64, 17
angles = m * b ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
cos, sin = angles.cos(), angles.sin()
turns = torch.stack([cos, -sin, sin, cos], dim=-1).view(-1, 2, 2)  # one block a pair
door = torch.block_diag(*turns)
q = torch.from_numpy(demo_pair(d)[0])
result = [*(door @ q)[:2].tolist(), torch.count_nonzero(door).item()]
print(result)
