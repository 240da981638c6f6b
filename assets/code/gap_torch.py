import torch

words = "the lamp turns and the sea keeps its place".split()
first = 12
places = first + torch.arange(len(words))
gaps = places[None, :] - places[:, None]
result = gaps[words.index("lamp"), words.index("sea")]
print(places, result)
