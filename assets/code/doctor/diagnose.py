import numpy as np

from rope_core import diagnose

# Yours instead: arrays = np.load("rotation.npz")
before = np.random.default_rng(0).standard_normal((4, 32, 64))
angles = np.outer(np.arange(32), 10000.0 ** (-np.arange(0, 64, 2) / 64))
first, second = before[..., :32], before[..., 32:]
cos, sin = np.cos(angles), np.sin(angles)
after = np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)

found = diagnose(before, after, positions=np.arange(32))
print(found.explanation)
for field in ("layout", "direction", "base", "first_position", "rotary_dim"):
    print(field, getattr(found, field), "(sure)" if field in found.sure else "(not sure)")
print("mistakes:", found.faults, "residual:", found.residual)
