"""Jobs, and the lanes that serve them: a queue each, and processes that take one job after the other.

A process is a fresh interpreter (`worker_process.py`) joined by two pipes. `multiprocessing` would do the same and then
import `__main__`, which in a Streamlit script is the page: it would run again in the worker.
"""

import atexit
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event, RLock, Thread
from time import monotonic
from typing import Any

from pages.kit.worker_messages import MessageError, receive, send

ROOT = Path(__file__).resolve().parents[2]
LOOK_EVERY = 0.25  # seconds between two looks at the clock and at the visitor
# What keeps torch and numpy to one core, set before they are imported.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

Process = subprocess.Popen[bytes]
Call = tuple[str, Sequence[Any]]
NOTHING: Call = ("", ())


@dataclass(frozen=True)
class Limits:
    """What a lane may take: processes at once, jobs that wait, seconds a job, seconds without one, niceness, bytes."""

    processes: int
    places: int
    seconds: float
    idle: float
    niceness: int = 5
    memory: int = 2**31


@dataclass(eq=False)
class Job:
    """One call in a worker process; `state` is waiting, running, done, failed or stopped."""

    lane: "Lane"
    call: Call
    wanted: Callable[[], bool]
    state: str = "waiting"
    progress: list[Any] = field(default_factory=list)
    result: Any = None
    fault: str | None = None
    _process: Process | None = None
    _late: float = float("inf")
    _change: RLock = field(default_factory=RLock)
    _over: Event = field(default_factory=Event)

    @property
    def place(self) -> int:
        """The place in the queue, 1 the next; 0 for a job that does not wait."""
        return self.lane.place(self)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self._over.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait until the job is over, at most so many seconds; whether it is."""
        return self._over.wait(seconds)

    def stop(self) -> None:
        """End it, at once if it runs."""
        self.break_off("stopped")

    def begin(self, process: Process, seconds: float) -> bool:
        """Note that it runs now in `process`, for at most so many seconds; False if it is over already."""
        with self._change:
            if not self.is_over:
                self.state, self._process, self._late = "running", process, monotonic() + seconds
            return not self.is_over

    def finish(self, state: str, result: Any = None, fault: str | None = None) -> bool:  # noqa: ANN401
        """Settle how it ended; False if it had ended already, which stands."""
        with self._change:
            if self.is_over:
                return False
            self.state, self.result, self.fault = state, result, fault
            self.call = NOTHING  # what a visitor brought is not kept longer than it is needed
            self._over.set()
            return True

    def break_off(self, state: str, fault: str | None = None) -> None:
        """Settle how it ended and kill its process, which has nothing to tidy up."""
        with self._change:
            if self.finish(state, fault=fault) and self._process:
                self._process.kill()
        self.lane.forget(self)

    def watch(self) -> None:
        """End it when its time is over, or nobody wants it any more; returns when the job is over."""
        while not self.wait(LOOK_EVERY):
            if monotonic() > self._late:
                self.break_off("failed", "late")
            elif not self.wanted():
                self.stop()


class Lane:
    """A queue of jobs and the processes that serve it, one thread for each, begun when needed."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._waiting: deque[Job] = deque()
        self._news = Condition()
        self._threads = self._idle = 0

    def add(self, call: Call, wanted: Callable[[], bool]) -> Job:
        """A job for this lane; it has failed with the fault `full` where no place is free."""
        job = Job(self, call, wanted)
        with self._news:
            if len(self._waiting) >= self.limits.places:
                job.finish("failed", fault="full")
                return job
            self._waiting.append(job)
            self._news.notify()
            if len(self._waiting) > self._idle and self._threads < self.limits.processes:
                self._threads += 1
                Thread(target=self._serve, daemon=True).start()
        Thread(target=job.watch, daemon=True).start()
        return job

    def place(self, job: Job) -> int:
        """The place of `job` in the queue, from 1; 0 if it is not there."""
        with self._news:
            return self._waiting.index(job) + 1 if job in self._waiting else 0

    def forget(self, job: Job) -> None:
        """Take `job` out of the queue."""
        with self._news:
            if job in self._waiting:
                self._waiting.remove(job)

    def _next(self) -> Job | None:
        """The next job; None, and one thread fewer, when there is none for a while."""
        with self._news:
            self._idle += 1
            self._news.wait_for(lambda: self._waiting, self.limits.idle)
            self._idle -= 1
            if self._waiting:
                return self._waiting.popleft()
            self._threads -= 1
            return None

    def _serve(self) -> None:
        """Run job after job in one process, a fresh one after everything but a result."""
        process = None
        while job := self._next():
            if process is None or process.poll() is not None:
                process = _begin(self.limits)
            _run(job, process, self.limits.seconds)
            if job.state != "done" and process:
                _end(process)
        if process:
            _end(process)


def _run(job: Job, process: Process | None, seconds: float) -> None:
    """Send the job to the process and listen until it is over."""
    if process is None or process.stdin is None or process.stdout is None:
        job.finish("failed", fault="crashed")
    elif job.begin(process, seconds):
        try:
            send(process.stdin, job.call)
            while not job.is_over:
                kind, value = receive(process.stdout)
                if kind == "progress":
                    job.progress.append(value)
                else:
                    job.finish(kind, **({"result": value} if kind == "done" else {"fault": value}))
        except MessageError:
            job.finish("failed", fault="error")
        except (OSError, EOFError):
            job.finish("failed", fault="crashed")


_processes: set[Process] = set()


def _begin(limits: Limits) -> Process | None:
    """A fresh process; None where the system has none to give."""
    command = [sys.executable, "-m", "pages.kit.worker_process", str(limits.niceness), str(limits.memory)]
    env, pipe = {**os.environ, **ONE_THREAD}, subprocess.PIPE
    try:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=pipe, stdout=pipe)
    except OSError:
        return None
    _processes.add(process)
    return process


def _end(process: Process) -> None:
    process.kill()
    process.wait()
    _processes.discard(process)


@atexit.register
def _end_all() -> None:
    """No process outlives the server; one that is killed itself takes them along, since their pipes close."""
    for process in list(_processes):
        _end(process)
