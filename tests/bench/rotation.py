"""How long a rotation takes beside the function transformers applies in Llama: `python -m tests.bench.rotation`.

One round runs every candidate once on the same q and k; a figure is the median, over the rounds, of a candidate's
time divided by Llama's in the same round, so that a slow moment of the machine falls on both.
The torch functions are all handed the same cosines and sines; numpy's computes its angles each time.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from rope_core import Layout, inverse_frequencies, rotate, tensors

SHAPE = (1, 32, 2048, 128)
THREADS = 2
ROUNDS = 31
REFERENCE = "transformers, Llama (half)"

Job = Callable[[], tuple[torch.Tensor, torch.Tensor]]


def measure(rounds: int = ROUNDS) -> list[tuple[str, float, float]]:
    """Return each candidate's name, its seconds, and its share of the time of Llama's own function, the first."""
    threads = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        jobs = _jobs()
        _check(jobs)
        times = [{name: _seconds(job) for name, job in jobs.items()} for _ in range(rounds)]
    finally:
        torch.set_num_threads(threads)
    return [
        (
            name,
            statistics.median(one[name] for one in times),
            statistics.median(one[name] / one[REFERENCE] for one in times),
        )
        for name in jobs
    ]


def _jobs() -> dict[str, Job]:
    """Return what is timed: each job turns the same q and k."""
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(SHAPE, generator=generator) for _ in range(2))
    inv_freq = inverse_frequencies(SHAPE[-1])
    positions = np.arange(SHAPE[-2])
    cos, sin = tensors.cos_sin(positions, inv_freq)
    wide_cos, wide_sin = (torch.cat((table, table), dim=-1)[None] for table in (cos, sin))

    def in_torch(layout: Layout) -> Job:
        return lambda: (tensors.turn(q, cos, sin, layout), tensors.turn(k, cos, sin, layout))

    def in_numpy(layout: Layout) -> Job:
        arrays = q.numpy(), k.numpy()
        return lambda: tuple(torch.from_numpy(rotate(x, positions, inv_freq, layout)) for x in arrays)

    return {
        REFERENCE: lambda: apply_rotary_pos_emb(q, k, wide_cos, wide_sin),
        "rope_core.tensors, half": in_torch("half"),
        "rope_core.tensors, interleaved": in_torch("interleaved"),
        "rope_core (numpy), half": in_numpy("half"),
        "rope_core (numpy), interleaved": in_numpy("interleaved"),
    }


def _check(jobs: dict[str, Job]) -> None:
    """Raise unless all jobs of one layout agree: only the same work is worth comparing."""
    for layout, reference in (("half", REFERENCE), ("interleaved", "rope_core (numpy), interleaved")):
        for name, job in jobs.items():
            if layout in name:
                torch.testing.assert_close(job(), jobs[reference](), atol=2e-3, rtol=0)


def _seconds(job: Job) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(f"Turning q and k of {SHAPE}, float32, torch on {THREADS} threads, median of {ROUNDS} rounds:")
    for name, seconds, ratio in measure():
        print(f"  {ratio:5.2f}  {1000 * seconds:6.1f} ms  {name}")
