import torch

from rope_core.demo import demo_pair

b, d, m, pair = 10_000, 64, 17, 0
theta = b ** (-2 * pair / d)
angle = torch.tensor(m * theta, dtype=torch.float64)
turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).reshape(2, 2)
q = torch.from_numpy(demo_pair(d)[0])
result = turn @ q[2 * pair : 2 * pair + 2]
print(result)
