import numpy as np

from rope_core import inverse_frequencies, rotate
from rope_core.demo import demo_pair

b, d, m = 10_000, 64, 17
inv_freq = inverse_frequencies(d, b)  # nothing learned
# What becomes of each entry by itself: the columns of the matrix.
door = rotate(np.eye(d), m, inv_freq).T
q, _ = demo_pair(d)
filled = int(np.count_nonzero(door))
result = [*(door @ q)[:2].tolist(), filled]
print(result)
