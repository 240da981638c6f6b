"""What the worker's tests have done in worker processes."""

import os
import resource
import sys
from collections.abc import Callable
from typing import Any

Report = Callable[[Any], None]


def double(report: Report, number: Any) -> Any:
    return 2 * number


def hold(report: Report, gate: str) -> str:
    """Tell the process's id, then wait until the other end of the gate, a named pipe, opens."""
    report(os.getpid())
    with open(gate) as opened:  # noqa: PTH123 (a pipe)
        return opened.read()


def counted(report: Report, count: int) -> int:
    for number in range(count):
        report(number)
    print("what a job prints goes to the log")
    return count


def leave(report: Report) -> None:
    os._exit(0)


def fail(report: Report) -> None:
    raise ValueError("as planned")


def unpicklable(report: Report) -> Any:
    return lambda: None


def unpicklable_news(report: Report) -> None:
    report(lambda: None)


def greedy(report: Report, size: int) -> int:
    return len(bytearray(size))


class Planted:
    """An object that calls something when it is unpacked."""

    def __reduce__(self) -> Any:
        return os.putenv, ("planted", "yes")


def planted(report: Report) -> Any:
    return Planted()


def tensor(report: Report) -> Any:
    import torch

    return torch.zeros(3)


def surroundings(report: Report) -> dict[str, Any]:
    """What the process is like."""
    loaded = {name.partition(".")[0] for name in sys.modules}
    import torch

    return {
        "loaded": sorted(loaded),
        "main": sys.modules["__main__"].__spec__.name,
        "niceness": os.nice(0),
        "threads": torch.get_num_threads(),
        "memory": resource.getrlimit(resource.RLIMIT_DATA)[0],
    }
