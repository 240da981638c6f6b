from transformers import StableLmConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.stablelm.modeling_stablelm import StableLmRotaryEmbedding

head_dim = 128
max_position_embeddings = 8192
rope_parameters = {"rope_type": "default", "rope_theta": 500000.0, "partial_rotary_factor": 1.0}
seq_len = None

# Any family does that takes these keys: the table depends on nothing else.
config = StableLmConfig(
    head_dim=head_dim,
    max_position_embeddings=max_position_embeddings,
    rope_parameters=rope_parameters,
)
builders = {"default": StableLmRotaryEmbedding.compute_default_rope_parameters, **ROPE_INIT_FUNCTIONS}
inv_freq, attention_factor = builders[rope_parameters["rope_type"]](config, device="cpu", seq_len=seq_len)
result = inv_freq
print(attention_factor, result)
