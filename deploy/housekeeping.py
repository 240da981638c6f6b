"""Garbage collection that no visitor waits for.

Streamlit by default collects after every run of a page, over everything the process ever imported: a tenth of a second
in which every other visitor waits. `runner.postScriptGC` is off. Instead what is there at the start is set
aside once (`gc.freeze`), which leaves only the visitors' own objects to look through; Python's automatic collection
does that as it goes, and a full one now and then frees what it leaves in the oldest generation.
"""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NoReturn

EVERY_SECONDS = 60.0


@asynccontextmanager
async def tidy_memory(app: object, every_seconds: float = EVERY_SECONDS) -> AsyncIterator[None]:
    """The lifespan of the server: freeze what was imported, then collect now and then until it ends."""
    gc.collect()
    gc.freeze()
    collecting = asyncio.create_task(collect_now_and_then(every_seconds))
    try:
        yield
    finally:
        collecting.cancel()
        with suppress(asyncio.CancelledError):
            await collecting


async def collect_now_and_then(every_seconds: float) -> NoReturn:
    """Run a full collection every so many seconds."""
    while True:
        await asyncio.sleep(every_seconds)
        gc.collect()
