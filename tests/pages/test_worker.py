"""The worker: jobs in order, bounded, stopped at once; a process that dies is a word and a fresh process next time."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.kit import words, worker
from pages.kit.worker_lanes import NOTHING, Job, Lane, Limits
from tests.app_server import ROOT
from tests.story import FRAME

PATIENCE = 60.0
JOBS = "tests.pages.jobs"
Start = Callable[..., Job]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """`worker.start` over lanes of the test's own, whose jobs are all over at the end."""
    lanes = {
        "bench": Lane(Limits(processes=1, places=3, seconds=PATIENCE, idle=1)),
        "training": Lane(Limits(processes=2, places=3, seconds=PATIENCE, idle=1, niceness=15)),
        "short": Lane(Limits(processes=1, places=3, seconds=0, idle=1)),
        "brief": Lane(Limits(processes=1, places=3, seconds=PATIENCE, idle=0)),
    }
    monkeypatch.setattr(worker, "LANES", lanes)
    started: list[Job] = []

    def begin(lane: str, function: str, *arguments: object) -> Job:
        started.append(worker.start(lane, f"{JOBS}:{function}", *arguments))
        return started[-1]

    yield begin
    for job in started:
        job.stop()


@pytest.fixture
def gate(tmp_path: Path) -> str:
    """A named pipe that holds a job until `let_go`."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    return str(path)


def let_go(gate: str) -> None:
    Path(gate).write_text("through", encoding="utf-8")


def until(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return
        Event().wait(0.01)
    pytest.fail("it never came to be")


def process_of(job: Job) -> int:
    """The id of the process that holds the job."""
    until(lambda: job.progress)
    return int(job.progress[0])


def is_gone(process: int) -> bool:
    """Wait until a process, ours or not, has ended; whether it did."""
    try:
        watched = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], PATIENCE)[0])
    finally:
        os.close(watched)


def outcome(job: Job) -> tuple[str, object, str | None]:
    assert job.wait(PATIENCE)
    return job.state, job.result, job.fault


# ---------------------------------------------------------------- results, progress, surroundings


def test_a_result_comes_back(start: Start) -> None:
    values = np.arange(6.0).reshape(2, 3)
    assert outcome(start("bench", "double", 21)) == ("done", 42, None)
    state, result, _ = outcome(start("bench", "double", values))
    assert state == "done"
    assert np.array_equal(result, 2 * values)


def test_progress_is_told_and_what_a_job_prints_disturbs_nothing(start: Start) -> None:
    job = start("bench", "counted", 100)
    assert outcome(job) == ("done", 100, None)
    assert job.progress == list(range(100))


def test_the_process_is_fresh_modest_and_warm_for_the_next_job(start: Start) -> None:
    _, found, _ = outcome(start("bench", "surroundings"))
    assert not set(found["loaded"]) & {"streamlit", "torch", "plotly"}
    assert found["main"] == "pages.kit.worker_process"
    assert (found["niceness"] - os.nice(0), found["threads"], found["memory"]) == (5, 1, 2**31)
    _, again, _ = outcome(start("bench", "surroundings"))
    assert "torch" in again["loaded"]


def test_idle_processes_end_and_the_next_job_gets_another(start: Start, gate: str) -> None:
    job = start("brief", "hold", gate)
    first = process_of(job)
    let_go(gate)
    assert outcome(job) == ("done", "through", None)
    assert is_gone(first)
    assert outcome(start("brief", "double", 1)) == ("done", 2, None)


WEB = f"""
import sys
from pages.kit import worker
job = worker.start("bench", "{JOBS}:surroundings")
assert job.wait({PATIENCE}) and job.state == "done", job
refused = worker.start("bench", "{JOBS}:tensor")
assert refused.wait({PATIENCE}) and refused.fault == "error", refused
assert "torch" not in sys.modules
"""


def test_the_web_process_has_no_torch() -> None:
    run = subprocess.run([sys.executable, "-c", WEB], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


# ---------------------------------------------------------------- the queue


def test_jobs_wait_in_order_and_a_full_queue_is_a_word(start: Start, gate: str) -> None:
    running = start("bench", "hold", gate)
    process_of(running)
    waiting = [start("bench", "double", number) for number in range(3)]
    assert running.state == "running"
    assert [(job.state, job.place) for job in waiting] == [("waiting", 1), ("waiting", 2), ("waiting", 3)]
    refused = start("bench", "double", 9)
    assert (refused.state, refused.fault, refused.place) == ("failed", "full", 0)
    waiting[1].stop()
    assert [job.place for job in waiting] == [1, 0, 2]
    let_go(gate)
    assert [outcome(job)[:2] for job in (running, *waiting)] == [
        ("done", "through"),
        ("done", 0),
        ("stopped", None),
        ("done", 4),
    ]


def test_who_comes_first_is_served_first(start: Start, tmp_path: Path) -> None:
    gates = [str(tmp_path / f"gate{number}") for number in range(4)]
    for gate in gates:
        os.mkfifo(gate)
    jobs = [start("bench", "hold", gates[0])]
    process_of(jobs[0])
    jobs += [start("bench", "hold", gate) for gate in gates[1:]]
    for number, job in enumerate(jobs):
        process_of(job)
        assert [other.state for other in jobs] == ["done"] * number + ["running"] + ["waiting"] * (3 - number)
        let_go(gates[number])
        assert outcome(job)[0] == "done"


def test_a_third_training_waits_for_the_first_two(start: Start, tmp_path: Path) -> None:
    gates = [str(tmp_path / f"gate{number}") for number in range(3)]
    for gate in gates:
        os.mkfifo(gate)
    jobs = [start("training", "hold", gate) for gate in gates]
    processes = {process_of(job) for job in jobs[:2]}
    assert len(processes) == 2
    assert (jobs[2].state, jobs[2].place) == ("waiting", 1)
    let_go(gates[1])
    assert outcome(jobs[1])[0] == "done"
    assert process_of(jobs[2]) in processes
    assert (jobs[0].state, jobs[2].state) == ("running", "running")
    beside = start("bench", "double", 1)
    assert outcome(beside)[0] == "done"


def test_many_visitors_at_once_each_get_their_own(start: Start) -> None:
    lane = worker.LANES["training"] = Lane(Limits(processes=2, places=40, seconds=PATIENCE, idle=1))
    found: dict[int, Job] = {}
    threads = [Thread(target=lambda n=n: found.update({n: start("training", "double", n)})) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: outcome(job)[1] for number, job in found.items()} == {number: 2 * number for number in range(40)}
    assert lane.limits.processes == 2


# ---------------------------------------------------------------- ends


def test_stop_ends_the_process_at_once(start: Start, gate: str) -> None:
    job = start("bench", "hold", gate)
    process = process_of(job)
    job.stop()
    assert outcome(job) == ("stopped", None, None)
    assert is_gone(process)
    assert outcome(start("bench", "double", 4)) == ("done", 8, None)
    job.stop()
    assert outcome(start("bench", "double", 5)) == ("done", 10, None)


def test_a_job_that_is_done_stays_done_and_its_process_warm(start: Start, gate: str) -> None:
    job = start("bench", "hold", gate)
    process = process_of(job)
    let_go(gate)
    assert outcome(job)[0] == "done"
    job.stop()
    again = start("bench", "hold", gate)
    assert process_of(again) == process
    assert job.state == "done"


def test_a_process_that_ends_by_itself_is_a_word_and_a_fresh_process(start: Start) -> None:
    assert outcome(start("bench", "leave")) == ("failed", None, "crashed")
    assert outcome(start("bench", "double", 4)) == ("done", 8, None)


def test_a_killed_process_is_a_word_and_a_fresh_process(start: Start, gate: str) -> None:
    job = start("bench", "hold", gate)
    os.kill(process_of(job), signal.SIGKILL)
    assert outcome(job) == ("failed", None, "crashed")
    assert outcome(start("bench", "double", 4)) == ("done", 8, None)


def test_a_process_killed_between_two_jobs_is_not_noticed(start: Start, gate: str) -> None:
    job = start("bench", "hold", gate)
    process = process_of(job)
    let_go(gate)
    assert outcome(job)[0] == "done"
    os.kill(process, signal.SIGKILL)
    assert is_gone(process)
    assert outcome(start("bench", "double", 4)) == ("done", 8, None)


@pytest.mark.parametrize(("call", "argument"), [("double", np.ones(9)), ("nowhere", np.ones(9))])
def test_what_was_brought_is_let_go_when_a_job_is_over(start: Start, call: str, argument: object) -> None:
    job = start("bench", call, argument)
    assert job.wait(PATIENCE)
    assert job.call == NOTHING


def test_a_job_has_so_much_time(start: Start, gate: str) -> None:
    assert outcome(start("short", "hold", gate)) == ("failed", None, "late")


@pytest.mark.parametrize("call", ["fail", "unpicklable", "unpicklable_news", "planted", "tensor", "nowhere"])
def test_what_goes_wrong_in_a_job_is_a_word(start: Start, call: str) -> None:
    assert outcome(start("bench", call)) == ("failed", None, "error")
    assert "planted" not in os.environ
    assert outcome(start("bench", "double", 4)) == ("done", 8, None)


def test_memory_is_bounded(start: Start) -> None:
    assert outcome(start("bench", "greedy", 2**20)) == ("done", 2**20, None)
    assert outcome(start("bench", "greedy", 2**31)) == ("failed", None, "error")


def test_every_fault_has_its_sentence() -> None:
    texts = words.Words("en", "kit")
    assert all(texts(f"worker_{fault}") for fault in worker.FAULTS)


# ---------------------------------------------------------------- the visitor goes


def test_jobs_stop_when_nobody_wants_them_any_more(gate: str) -> None:
    lane, gone = Lane(Limits(processes=1, places=3, seconds=PATIENCE, idle=0)), Event()
    running, waiting = (lane.add((f"{JOBS}:hold", [gate]), lambda: not gone.is_set()) for _ in range(2))
    process = process_of(running)
    gone.set()
    assert [outcome(job)[0] for job in (running, waiting)] == ["stopped", "stopped"]
    assert is_gone(process)


LEAVING = """
import streamlit as st
from pages.kit import worker
st.session_state.setdefault("job", None)
worker.on_page(st.session_state["page"])
if st.session_state.pop("wanted", None):
    st.session_state["job"] = worker.start("bench", "tests.pages.jobs:hold", st.session_state["gate"])
"""


def test_jobs_stop_when_the_visitor_goes_to_another_page(start: Start, gate: str) -> None:
    app = AppTest.from_string(LEAVING)
    app.session_state["gate"], app.session_state["page"], app.session_state["wanted"] = gate, "precision", True
    app.run()
    job = app.session_state["job"]
    process_of(job)
    app.run()
    assert job.state == "running"
    app.session_state["page"] = "lab"
    app.run()
    assert outcome(job)[0] == "stopped"
    app.session_state["wanted"] = True
    app.run().run()
    assert app.session_state["job"].state != "stopped"
    app.session_state["job"].stop()


def test_the_frame_tells_on_which_page_the_visitor_is() -> None:
    app = AppTest.from_file(FRAME, default_timeout=60)
    app.switch_page("workshop/lab.py").run()
    assert app.session_state["worker_page"] == "lab"
    app.switch_page("chapters/gap.py").run()
    assert app.session_state["worker_page"] == "gap"


ORPHANS = """
import os, signal, sys
from threading import Event
from pages.kit import worker
job = worker.start("training", "tests.pages.jobs:hold", sys.argv[1])
while not job.progress:
    Event().wait(0.01)
print(job.progress[0], flush=True)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("way", ["killed", "ended"])
def test_no_process_outlives_the_server(gate: str, way: str) -> None:
    command = [sys.executable, "-c", ORPHANS, gate, way]
    server = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert is_gone(int(server.stdout))
