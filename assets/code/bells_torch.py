import torch

b, d, alike = 10_000, 128, 0.99
theta = b ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)  # radians a token, the fastest first
gaps = torch.arange(3, 4097, dtype=torch.float64)
heights = torch.cos(torch.outer(gaps, theta))  # how high each bell's mouth stands at each gap
# how many gaps look like gap 0 to the first bell, the first two, … the first five
result = [int((heights[:, :bells].mean(dim=1) >= alike).sum()) for bells in range(1, 6)]
print(result)
