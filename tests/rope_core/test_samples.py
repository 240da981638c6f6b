"""The doctor's sample files are what their script makes, and the doctor names what is wrong with each."""

import numpy as np
import pytest

from assets.samples.make_samples import FOLDER, SAMPLES
from rope_core import diagnose


def read(name):
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


@pytest.mark.parametrize("name", SAMPLES)
def test_making_it_again_gives_the_same(name):
    kept, made = read(name), SAMPLES[name]()
    assert kept.keys() == made.keys()
    assert (FOLDER / f"{name}.npz").stat().st_size < 100_000
    for key, values in made.items():
        assert kept[key].dtype == values.dtype
        # Other machines may round a cosine's last place the other way.
        np.testing.assert_allclose(kept[key], values, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_doctor_names_it(name):
    sample = read(name)
    counts = {key: int(sample[key]) for key in ("num_heads", "num_kv_heads") if key in sample}
    found = diagnose(sample["before"], sample["after"], sample.get("positions"), **counts)
    assert found.faults == (() if name in ("right", "wrong_layout") else (name,))
    interleaved = name in ("wrong_layout", "k_permuted_wrong_heads")
    assert found.layout == ("interleaved" if interleaved else "half")
    assert {"layout", "direction"} <= found.sure
    assert found.base == (pytest.approx(100) if name == "exponent_over_head_dim" else 10000)


def test_there_is_no_other_file():
    assert {path.stem for path in FOLDER.glob("*.npz")} == set(SAMPLES)
