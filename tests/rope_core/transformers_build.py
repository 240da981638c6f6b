"""What transformers itself builds from a config.json: the model family's own classes, run on the CPU."""

import copy
import importlib
import inspect
import logging
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_MAPPING_NAMES

warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
logging.getLogger("transformers").setLevel(logging.CRITICAL)
OTHER_TOWERS = ("Vision", "Audio", "DiT", "Talker", "Encoder")

Config = Any
Table = tuple[np.ndarray, float]


def text_config(file: dict[str, Any]) -> Config:
    """The configuration object of a file's text part."""
    config = CONFIG_MAPPING[file["model_type"]].from_dict(copy.deepcopy(file))
    return getattr(config, "text_config", None) or config


def modelling(config: Config) -> ModuleType:
    """The module that defines the model of a configuration."""
    names = MODEL_MAPPING_NAMES.get(config.model_type) or MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(config.model_type)
    model = getattr(transformers, (names if isinstance(names, str) else names[0]) if names else "", None)
    if model:
        return inspect.getmodule(model)
    package = type(config).__module__.rsplit(".", 1)[0]
    return importlib.import_module(f"{package}.modeling_{package.rsplit('.', 1)[1]}")


def rotary_embedding(config: Config) -> torch.nn.Module:
    """The family's rotary embedding, built from the configuration as its model builds it."""
    module = modelling(config)
    own = [value for value in vars(module).values() if inspect.isclass(value) and value.__module__ == module.__name__]
    rotary = [value for value in own if value.__name__.endswith("RotaryEmbedding")]
    text = [value for value in rotary if not any(tower in value.__name__ for tower in OTHER_TOWERS)]
    return sorted(text, key=lambda value: "Text" not in value.__name__)[0](config)


def labels(config: Config) -> list[str | None]:
    """The layer types that have tables of their own; [None] where one table serves all."""
    parameters = getattr(config, "rope_parameters", None) or {}
    nested = [label for label, inside in parameters.items() if isinstance(inside, dict)]
    present = getattr(config, "_rope_type_labels", None) or getattr(config, "layer_types", None) or ()
    return [label for label in nested if label in present] or [None]


def table(config: Config, label: str | None = None, seq_len: int | None = None) -> Table:
    """`(inv_freq, attention_factor)` after the embedding has seen a sequence of seq_len tokens, or as built."""
    embedding = rotary_embedding(config)
    if seq_len is not None:
        positions = torch.tensor([[seq_len - 1]])
        embedding(torch.zeros(1), positions, **({"layer_type": label} if label else {}))
    prefix = f"{label}_" if label else ""
    frequencies = getattr(embedding, f"{prefix}inv_freq").numpy().copy()
    return frequencies, float(getattr(embedding, f"{prefix}attention_scaling"))


def turned(config: Config, layout: str, position: int, label: str | None = None) -> np.ndarray:
    """The unit vectors of a head's turning part, `(width, width)`, as the family turns them at `position`."""
    module, embedding = modelling(config), rotary_embedding(config)
    width = 2 * len(table(config, label)[0])
    vectors = torch.eye(width)[None, None]
    positions = torch.full((1, width), position)
    angles = embedding(torch.zeros(1), positions, **({"layer_type": label} if label else {}))
    if hasattr(module, "apply_rotary_emb"):  # complex numbers; Llama 4 has the heads behind the sequence
        behind = config.model_type == "llama4_text"
        vectors = vectors.transpose(1, 2) if behind else vectors
        out = module.apply_rotary_emb(vectors, vectors, angles)[0]
        return (out.transpose(1, 2) if behind else out)[0, 0].numpy()
    interleave = layout == "interleaved_to_half"
    apply = module.apply_rotary_pos_emb_interleave if interleave else module.apply_rotary_pos_emb
    takes_both = len([name for name in inspect.signature(apply).parameters if name in ("q", "k")]) == 2
    out = apply(vectors, vectors, *angles)[0] if takes_both else apply(vectors, *angles)
    return out[0, 0].detach().numpy()
