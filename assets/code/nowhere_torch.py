import numpy as np
import torch

d = 64
q, k = (torch.from_numpy(x) for x in np.random.default_rng(d).standard_normal((2, 9, d)))
rates = 10_000 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def turned(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    angles = places[:, None] * rates
    pairs = torch.view_as_complex(x.reshape(-1, d // 2, 2)) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs).flatten(1)


places = torch.arange(9)
result = turned(q, places) @ turned(k, places).T
elsewhere = turned(q, places + 3000) @ turned(k, places + 3000).T
print((result - elsewhere).abs().max())
