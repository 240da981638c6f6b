import numpy as np

from rope_core import inverse_frequencies, rotate
from rope_core.demo import demo_pair

b, d, m = 10_000, 64, 17
inv_freq = inverse_frequencies(d, b)  # worked out, not learned
door = rotate(np.eye(d), m, inv_freq).T  # what becomes of each entry by itself: the columns of the matrix
q, _ = demo_pair(d)
result = [*(door @ q)[:2].tolist(), int(np.count_nonzero(door))]
print(result)
