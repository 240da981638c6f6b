import numpy as np

from rope_core import additive_terms, sinusoidal

d, m, n = 64, 17, 12
draw = np.random.default_rng(d).standard_normal
words, (for_query, for_key) = draw((2, d)), draw((2, d, d)) / np.sqrt(d)
p = sinusoidal(np.arange(4097), d)
result = additive_terms(for_query @ words[0], for_key @ words[1], for_query @ p[m], for_key @ p[n])
print(result)
