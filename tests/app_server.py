"""A real server for tests and measurements: started on a free port, ended by its own process."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"
PATIENCE = 90.0  # seconds a server may take to answer for the first time


@contextmanager
def running_app(
    target: str | Path = "app.py", cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run `streamlit run target` in the folder `cwd`; yields its address and its process once it is healthy."""
    port = free_port()
    flags = [f"--server.address={HOST}", f"--server.port={port}", "--server.headless=true"]
    command = [sys.executable, "-m", "streamlit", "run", str(target), *flags]
    # Into a file, since a full pipe that nobody reads would hold the server up.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            url = f"http://{HOST}:{port}"
            if not becomes_healthy(url, process):
                output.seek(0)
                raise RuntimeError(f"{target} did not start:\n{output.read().decode(errors='replace')}")
            yield url, process
        finally:
            end(process)


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def becomes_healthy(url: str, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers its health check; False if it ends before, or takes too long."""
    deadline = monotonic() + PATIENCE
    while monotonic() < deadline:
        try:
            with urlopen(f"{url}/_stcore/health", timeout=5) as response:
                return bool(response.status == 200)
        except (URLError, ConnectionError, TimeoutError):
            if ends_within(0.1, process):
                return False
    return False


def ends_within(seconds: float, process: subprocess.Popen[bytes]) -> bool:
    """Wait for the process to end, at most so many seconds; whether it did."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def end(process: subprocess.Popen[bytes]) -> None:
    """End the process: asked first, then told."""
    process.terminate()
    if not ends_within(10, process):
        process.kill()
        process.wait()
