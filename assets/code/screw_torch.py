import torch

b, d, trained, target = 10_000, 128, 4_096, 32_768
factor = target / trained
exponents = -torch.arange(0, d, 2, dtype=torch.float64) / d
plain = b**exponents
interpolated = plain / factor
ntk_aware = (b * factor ** (d / (d - 2))) ** exponents
result = torch.stack([1 - rates.cos().mean() for rates in (plain, interpolated, ntk_aware)])
print(result)
