import numpy as np

from rope_core import inverse_frequencies, scores

d = 64
q, k = np.random.default_rng(d).standard_normal((2, 9, d))
inv_freq = inverse_frequencies(d)
places = np.arange(9)
result = scores(q, k, places, places, inv_freq)
elsewhere = scores(q, k, places + 3000, places + 3000, inv_freq)
print(np.abs(result - elsewhere).max())  # rounding
