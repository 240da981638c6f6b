import torch

from rope_core.demo import demo_pair

b, d, m, n = 10_000, 64, 17, 12
theta = b ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
q, k = (torch.view_as_complex(torch.from_numpy(x).reshape(-1, 2)) for x in demo_pair(d))


def turned(x: torch.Tensor, position: int) -> torch.Tensor:
    return x * torch.polar(torch.ones_like(theta), position * theta)


def score(m: int, n: int) -> float:
    return (turned(q, m) * turned(k, n).conj()).real.sum().item()


result = [score(m, n), score(m + 4000, n + 4000)]
print(result)
