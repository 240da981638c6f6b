import numpy as np

from rope_core import inverse_frequencies, mean_cosine

b, d, alike = 10_000, 128, 0.99
inv_freq = inverse_frequencies(d, b)  # radians a token, the fastest first
gaps = np.arange(3, 4097)
# how many gaps look like gap 0 to the first bell, the first two, … the first five
result = [int((mean_cosine(gaps, inv_freq[:bells]) >= alike).sum()) for bells in range(1, 6)]
print(result)
