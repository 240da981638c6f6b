"""Measures what a visitor feels, beside the plain alternative: `python -m tests.bench`, or `make bench`.

One run, one browser, all servers at once. What is compared is measured in turn, round after round, so that a slow
moment of the machine falls on both. Nothing here passes or fails.
"""

from collections import defaultdict
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from tests.bench import arriving, memory, moving, rotation
from tests.bench.places import ALIKE, BARE, DIALS, MAPS, TOLD, WITH_PLOTS, Place
from tests.bench.report import Row, print_rows, print_table
from tests.bench.servers import all_serving
from tests.bench.stopwatch import Spread, Urls
from tests.browser import chromium

ROUNDS = 3
GOALS = {"drag": "median at most 20 ms", "key on b": "about 150 ms when idle", "key on d": "about 150 ms when idle"}

TURN_GOALS = {"rope_core.tensors, half": "at most 0.45", "rope_core.tensors, interleaved": "at most 0.25"}


def moves(browser: Browser, urls: Urls) -> Iterator[Row]:
    """The chapters and the plain pages while something is dragged and when a slider moves by a step.

    The plain dials follow m by a slider alone, which says nothing while it is dragged: its key presses count.
    """
    times: dict[Place, moving.Times] = defaultdict(lambda: defaultdict(list))
    for _ in range(ROUNDS):
        for place in (DIALS, MAPS, *ALIKE):
            for what, taken in moving.moved(browser, urls, place).items():
                times[place][what] += taken
    for place, same in ALIKE.items():
        for (how, seen), taken in times[place].items():
            plain, plain_how = (DIALS, "key on m") if how in ("drag", "key on m") else (same, how)
            beside = Spread(times[plain][plain_how, "drawing"])
            yield Row(
                f"{place.name}: {how}, {seen}", Spread(taken), beside, f"{plain.name}: {plain_how}", GOALS.get(how, "")
            )


def first_visits(browser: Browser, urls: Urls) -> Iterator[tuple[str, list[Row]]]:
    """The way to every page with an empty cache: time to its first picture, to all of it, and the bytes."""
    visits: dict[str, list[arriving.Visit]] = defaultdict(list)
    for number in range(ROUNDS + 1):
        for place in (BARE, MAPS, *TOLD.values()):
            visit = arriving.visit(browser, urls, place)
            if number:  # the first round wakes the servers up
                visits[place.name].append(visit)
    beside = {name: (BARE, MAPS) if name in ("home", WITH_PLOTS) else (BARE,) for name in TOLD}
    for field, (title, unit) in arriving.TITLES.items():
        spreads = {name: Spread([getattr(visit, field) for visit in made], unit) for name, made in visits.items()}
        rows = [Row(name, spreads[name], spreads[p.name], p.name) for name, plain in beside.items() for p in plain]
        yield f"First visit, empty cache: {title}", rows


def held_memory(browser: Browser) -> Iterator[Row]:
    """What our server holds in memory after visits, beside servers with one plain page."""
    ours = Spread([memory.after_visits(browser, list(TOLD.values()))], "MB")
    for plain in (BARE, MAPS):
        yield Row("all pages in turn", ours, Spread([memory.after_visits(browser, [plain])], "MB"), plain.name)


def turning() -> list[tuple[str, ...]]:
    """The rotation's own bench: each candidate's time, and as a share of that of Llama's own function."""
    lines = [
        (name, f"{1000 * seconds:.1f} ms", f"{ratio:.2f}", TURN_GOALS.get(name, ""))
        for name, seconds, ratio in rotation.measure()
    ]
    return [("", "time", "ratio", "goal"), *lines]


def main() -> None:
    """Measure everything and print it."""
    with sync_playwright() as playwright:
        path, arguments = chromium.executable(playwright), chromium.arguments()
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        with all_serving() as urls:
            print_rows("From the input to the frame with the new picture, at d = 256", moves(browser, urls))
            for title, rows in first_visits(browser, urls):
                print_rows(title, rows)
        print_rows(f"Server memory after {memory.VISITS} visits", held_memory(browser))
        browser.close()
    print_table(f"Turning q and k of {rotation.SHAPE} float32, torch on {rotation.THREADS} threads", turning())


if __name__ == "__main__":
    main()
