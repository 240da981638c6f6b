"""The worker's own side: `python -m pages.kit.worker_process <niceness> <bytes>` calls what it is sent, one by one.

It imports no Streamlit, and torch only where the called module does.
"""

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from pages.kit.worker_messages import MessageError, packed, receive

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

Call = tuple[str, Sequence[Any]]


def main(niceness: int, memory: int) -> None:
    """Serve until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's own end comes through the pipe
    if resource:
        os.nice(niceness)
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a job prints belongs to the log
    calls: SimpleQueue[Call] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, calls), daemon=True).start()
    while True:
        _tell(answers, *_answer(calls.get(), answers))


def _listen(pipe: IO[bytes], calls: SimpleQueue[Call]) -> None:
    """Take in calls; when there is nobody any more to call, end, whatever is being done."""
    try:
        while True:
            calls.put(receive(pipe, trusted=True))
    except (EOFError, OSError, MessageError):
        os._exit(0)


def _answer(call: Call, answers: IO[bytes]) -> tuple[str, Any]:
    """Make the call: "done" with its result, or "failed" with the word for what went wrong; the log has the rest."""
    name, arguments = call
    module, _, function = name.partition(":")
    try:
        called = getattr(importlib.import_module(module), function)
        return "done", called(lambda value: _tell(answers, "progress", value), *arguments)
    except Exception:
        traceback.print_exc()
        return "failed", "error"


def _tell(answers: IO[bytes], kind: str, value: Any) -> None:  # noqa: ANN401
    try:
        message = packed((kind, value))
    except MessageError:
        traceback.print_exc()
        message = packed(("failed", "error"))
    answers.write(message)
    answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
