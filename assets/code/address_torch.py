import numpy as np
import torch

d, m, n = 64, 17, 12
draw = np.random.default_rng(d).standard_normal
words, (for_query, for_key) = (torch.from_numpy(a) for a in (draw((2, d)), draw((2, d, d)) / np.sqrt(d)))
rates = 10_000 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def address(position: int) -> torch.Tensor:
    return torch.stack([(position * rates).sin(), (position * rates).cos()], dim=-1).flatten()


query, key, p_m, p_n = for_query @ words[0], for_key @ words[1], for_query @ address(m), for_key @ address(n)
result = [query @ key, query @ p_n, p_m @ key, p_m @ p_n]
print(result)
