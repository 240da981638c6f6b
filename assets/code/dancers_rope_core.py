from rope_core import inverse_frequencies, scores
from rope_core.demo import demo_pair

b, d, m, n = 10_000, 64, 17, 12
inv_freq = inverse_frequencies(d, b)  # radians a step
q, k = demo_pair(d)
here = scores(q, k, [m], [n], inv_freq)[0, 0]
far = scores(q, k, [m + 4000], [n + 4000], inv_freq)[0, 0]  # the same gap, 4,000 places on
result = [here, far]
print(result)
