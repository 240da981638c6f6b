import torch

positions = torch.tensor([4096, 4101])  # a key, and a query five tokens on
inv_freq = 10000.0 ** (-torch.arange(0, 128, 2, dtype=torch.float64) / 128)

# The fault: position, frequency and angle have the model's own dtype.
own = positions.to(torch.bfloat16)[:, None] * inv_freq.to(torch.bfloat16)
print("positions as bfloat16 reads them:", positions.to(torch.bfloat16).tolist())

# The cure: angles in float32, cosine and sine rounded afterwards. Under autocast,
# compute them within torch.autocast(device_type, enabled=False).
wide = positions.to(torch.float32)[:, None] * inv_freq.to(torch.float32)

true = (positions[:, None] * inv_freq).cos()
result = [(angles.cos().to(torch.bfloat16) - true).abs().max() for angles in (own, wide)]
print(f"largest error of a cosine: {result[0]:.3f} and {result[1]:.3f}")
