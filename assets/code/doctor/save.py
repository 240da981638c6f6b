import numpy as np
import torch
from safetensors.torch import save_file

# Yours instead: q before and after the rotation, (batch, heads, seq, head_dim)
before = torch.randn(1, 4, 32, 64, dtype=torch.bfloat16)
after = before.clone()
positions = torch.arange(32)

# A few heads and a hundred positions are enough.
before, after = (x[:1, :4, :128].detach().cpu().contiguous() for x in (before, after))
positions = positions[:128].double()

# .safetensors keeps bfloat16; positions as float64
save_file({"before": before, "after": after, "positions": positions}, "rotation.safetensors")

# .npz has no bfloat16: float32 holds every number of it exactly
arrays = {name: x.float().numpy() for name, x in {"before": before, "after": after}.items()}
np.savez("rotation.npz", **arrays, positions=positions.numpy())
