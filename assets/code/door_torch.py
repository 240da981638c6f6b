import torch

from rope_core.demo import demo_pair

b, d, m = 10_000, 64, 17
i = torch.arange(0, d, 2, dtype=torch.float64)
angle = m * b ** (-i / d)  # nothing learned
cos, sin = angle.cos(), angle.sin()
blocks = torch.stack([cos, -sin, sin, cos], dim=-1)
door = torch.block_diag(*blocks.view(-1, 2, 2))
q = torch.from_numpy(demo_pair(d)[0])
filled = torch.count_nonzero(door).item()
result = [*(door @ q)[:2].tolist(), filled]
print(result)
