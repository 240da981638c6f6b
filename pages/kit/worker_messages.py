"""What the web process and a worker process say to each other: pickles behind their length.

The web process takes plain values and numpy's arrays, and classes of rope_core that it has imported itself: nothing
that a worker sends makes it import or call anything else, torch least of all.
"""

import io
import pickle
import sys
from typing import IO, Any

HEAD = 8  # bytes that tell a message's length
LARGEST = 2**28
KNOWN = ("numpy", "rope_core")


class MessageError(ValueError):
    """A message that cannot be packed, or must not be unpacked."""


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401
        if module.partition(".")[0] not in KNOWN or module not in sys.modules:
            raise pickle.UnpicklingError(f"{module}.{name} is not among what a worker may send")
        return super().find_class(module, name)


def packed(value: Any) -> bytes:  # noqa: ANN401
    """`value` as a message. MessageError if it cannot be pickled."""
    try:
        body = pickle.dumps(value)
    except Exception as error:
        raise MessageError(f"{type(value).__name__} cannot be sent") from error
    if len(body) > LARGEST:
        raise MessageError(f"{len(body)} bytes are too many for a message")
    return len(body).to_bytes(HEAD, "big") + body


def send(pipe: IO[bytes], value: Any) -> None:  # noqa: ANN401
    """Write `value` to the pipe. OSError where nobody reads it any more."""
    pipe.write(packed(value))
    pipe.flush()


def receive(pipe: IO[bytes], trusted: bool = False) -> Any:  # noqa: ANN401
    """The next message. EOFError where none will come, MessageError for one that must not be unpacked."""
    size = int.from_bytes(_exactly(pipe, HEAD), "big")
    if size > LARGEST:
        raise MessageError(f"{size} bytes are too many for a message")
    body = io.BytesIO(_exactly(pipe, size))
    try:
        return pickle.load(body) if trusted else _Reader(body).load()
    except Exception as error:
        raise MessageError("a message that must not be unpacked") from error


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
