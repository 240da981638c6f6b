import numpy as np

words = "the lamp turns and the sea keeps its place".split()
first = 12  # where the sentence begins
places = first + np.arange(len(words))
gaps = places[None, :] - places[:, None]  # row: the word that asks, column: the word it looks at
result = gaps[words.index("lamp"), words.index("sea")]
print(places, result)
