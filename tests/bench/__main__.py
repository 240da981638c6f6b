"""Measures what a visitor feels, beside the plain alternative: `python -m tests.bench`, or `make bench`.

One run, one browser, all servers at once. What is compared is measured in turn, round after round, so that a slow
moment of the machine falls on both. Nothing here passes or fails.
"""

from collections import defaultdict
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from tests.bench import arriving, memory, moving, rotation
from tests.bench.places import ALIKE, BARE, DIALS, MAPS, TOLD, WITH_PLOTS
from tests.bench.report import Row, print_rows, print_table
from tests.bench.servers import all_serving
from tests.bench.stopwatch import Spread, Urls
from tests.browser import chromium

ROUNDS = 3
Times = dict[object, list[float]]


def dragging(browser: Browser, urls: Urls) -> Iterator[Row]:
    """Our stage while it is dragged and when a key is pressed, beside the plain dials when a key is pressed."""
    times: Times = defaultdict(list)
    for _ in range(ROUNDS):
        for place in ALIKE:
            times[place, "dragged"] += moving.dragged(browser, urls, place)
            times[place, "key on m"] += moving.stepped(browser, urls, place, "m", place.moves)
        times[DIALS] += moving.stepped(browser, urls, DIALS, "m", DIALS.moves)
    for how in ("dragged", "key on m"):
        for place in ALIKE:
            goal = "median at most 20 ms" if how == "dragged" else ""
            ours, plain = Spread(times[place, how]), Spread(times[DIALS])
            yield Row(f"{place.name}, {how}", ours, plain, f"{DIALS.name}, key on m", goal)


def asking(browser: Browser, urls: Urls) -> Iterator[Row]:
    """A key on b and on d: the drawing and the plots that Python has to make anew."""
    times: Times = defaultdict(list)
    for _ in range(ROUNDS):
        for place, plain in ALIKE.items():
            for control in ("b", "d"):
                for look in filter(None, (place.moves, place.plots)):
                    times[look, control] += moving.stepped(browser, urls, place, control, look)
                times[plain, control] += moving.stepped(browser, urls, plain, control, plain.moves)
    for place, plain in ALIKE.items():
        for control in ("b", "d"):
            for look, what in ((place.moves, "drawing"), (place.plots, "plots")):
                if look:
                    pair = Spread(times[look, control]), Spread(times[plain, control])
                    yield Row(
                        f"{place.name}, key on {control}, {what}", *pair, plain.name, "about 150 ms on an idle machine"
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


def turning() -> list[tuple[str, str, str]]:
    """The rotation's own bench: each candidate's time as a share of Llama's own function."""
    goals = {"rope_core.tensors, half": "at most 0.45", "rope_core.tensors, interleaved": "at most 0.25"}
    return [("", "ratio", "goal"), *((name, f"{ratio:.2f}", goals.get(name, "")) for name, ratio in rotation.measure())]


def main() -> None:
    """Measure everything and print it."""
    with sync_playwright() as playwright:
        path, arguments = chromium.executable(playwright), chromium.arguments()
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        with all_serving() as urls:
            print_rows("Input to painted picture, at d = 256", dragging(browser, urls))
            print_rows("b or d moved: input to the new picture", asking(browser, urls))
            for title, rows in first_visits(browser, urls):
                print_rows(title, rows)
        print_rows(f"Server memory after {memory.VISITS} visits", held_memory(browser))
        browser.close()
    print_table(f"Turning q and k of {rotation.SHAPE} float32, torch on {rotation.THREADS} threads", turning())


if __name__ == "__main__":
    main()
