from rope_core import inverse_frequencies, rotate
from rope_core.demo import demo_pair

b, d, m, pair = 10_000, 64, 17, 0
inv_freq = inverse_frequencies(d, b)  # radians a step, one number for each pair
q, _ = demo_pair(d)  # the word before its turn
turned = rotate(q[None], [m], inv_freq)[0]  # the word at position m
result = turned[2 * pair : 2 * pair + 2]
print(result)
