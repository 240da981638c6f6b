"""What cannot be diagnosed is refused in a plain sentence, with one word for its reason."""

import numpy as np
import pytest

from rope_core import DiagnosisError, diagnose, read_config

X = np.ones((3, 8))
SPEC = read_config({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 2})
REFUSED = {
    "shapes_differ": (X, np.ones((3, 6))),
    "rank": (np.ones(8), np.ones(8)),
    "rank ": (np.ones((1, 1, 1, 3, 8)), np.ones((1, 1, 1, 3, 8))),
    "rank  ": ([[1.0, 2.0], [3.0]], X),
    "empty": (np.ones((0, 8)), np.ones((0, 8))),
    "empty ": (np.ones((3, 0)), np.ones((3, 0))),
    "odd_width": (np.ones((3, 7)), np.ones((3, 7))),
    "not_finite": (X, np.full((3, 8), np.nan)),
    "not_finite ": (np.full((3, 8), np.inf), X),
    "not_real": (X.astype(complex), X),
    "not_real ": (np.full((3, 8), "a"), X),
    "not_real  ": (np.full((3, 8), None), X),
    "positions_shape": (X, X, [0, 1]),
    "positions_shape ": (X[np.newaxis], X[np.newaxis], [[0, 1, 2], [1, 2, 3]]),
    "not_finite  ": (X, X, [0, 1, np.nan]),
    "head_counts": (X, X, None, None, 8, 3),
    "head_counts ": (X, X, None, None, 0, 0),
    "head_counts  ": (X, X, None, None, 2.5, 1),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refused(reason):
    with pytest.raises(DiagnosisError) as refusal:
        diagnose(*REFUSED[reason])
    assert refusal.value.reason == reason.strip()
    assert str(refusal.value).endswith(".")


def test_a_layer_type_that_is_not_there():
    with pytest.raises(DiagnosisError) as refusal:
        diagnose(X, X, spec=SPEC, layer_type="sliding_attention")
    assert refusal.value.reason == "layer_type"


def test_the_arrays_stay_as_they_are():
    before, after = np.arange(24.0).reshape(3, 8), np.arange(24.0).reshape(3, 8)[:, ::-1].copy()
    kept = before.copy(), after.copy()
    diagnose(before, after)
    np.testing.assert_array_equal((before, after), kept)
