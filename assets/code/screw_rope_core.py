import numpy as np

from rope_core import inverse_frequencies, mean_cosine

b, d, trained, target = 10_000, 128, 4_096, 32_768
factor = target / trained
plain = inverse_frequencies(d, b)
interpolated = plain / factor  # turning m / factor places is turning m at rates / factor
ntk_aware = inverse_frequencies(d, b * factor ** (d / (d - 2)))
result = [float(1 - mean_cosine([1], rates)[0]) for rates in (plain, interpolated, ntk_aware)]
print(np.round(result, 4))  # how far apart neighbours stay
