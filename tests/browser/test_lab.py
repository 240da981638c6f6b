"""The model lab in a real browser: choose, compare, set, bring a file, take the table home, reopen it by its link."""

import csv
import json
import math
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from pages.kit import words
from tests.browser.app_helpers import expect_no_exception, open_page, serious_faults, unfold, wait_until_still
from tests.browser.conftest import NewPage
from tests.browser.stage_helpers import expect_plots, expect_query, keys, panel, part, query, slider
from tests.rope_core.models import MODELS

ROWS = {model["repo"]: model for model in MODELS}
TEXTS = words.Words("en", "lab")
LLAMA, PHI, GEMMA = "meta-llama/Llama-3.1-8B-Instruct", "microsoft/Phi-3-mini-128k-instruct", "google/gemma-4-31B-it"
EVIL = "<img src=x onerror=planted()>**planted**"
EVIL_FILE = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "layer_types": [EVIL, "plain"],
    "rope_parameters": {EVIL: {"rope_type": "linear", "factor": 2, "rope_theta": 1e4}, "plain": None},
}


def lab(page: Page, app_url: str, **values: str) -> None:
    """Open the lab by a link."""
    open_page(page, app_url, "/lab?" + "&".join(f"{name}={quote(value)}" for name, value in values.items()))


def choose(page: Page, label: str, wanted: str) -> None:
    """Search a select box and take what is found."""
    box = page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.fill(wanted)
    page.get_by_role("option", name=wanted).first.click()
    wait_until_still(page)


def said(rate: float, pair: int, served: int) -> str:
    """How the page says what a pair does, up to the turns, by plain arithmetic."""
    turns = served * rate / (2 * math.pi)
    return TEXTS(
        "pair_turns",
        pair=pair,
        rate=words.readable(rate, ".6g"),
        wave=words.readable(2 * math.pi / rate, ".4g"),
        turns=words.readable(turns, ",.0f" if turns >= 1000 else ".4g"),
        served=served,
    )


def expect_fact(page: Page, name: str, said: str | re.Pattern[str], column: int = 1) -> None:
    """Wait until the table of facts says so."""
    row = page.locator(".st-key-facts tr").filter(has=page.get_by_role("cell", name=TEXTS(f"fact_{name}"), exact=True))
    expect(row.get_by_role("cell").nth(column)).to_have_text(said)


def test_a_model_is_found_by_its_name_and_stands_in_the_link(page: Page, app_url: str) -> None:
    lab(page, app_url)
    rates = ROWS[LLAMA]["tables"][0]["inv_freq"]
    expect(part(page, "pair-here")).to_contain_text(said(rates[0], 0, 131072))
    choose(page, TEXTS("model"), "gpt-neox-20b")
    expect_query(page, {"lab_model": "EleutherAI/gpt-neox-20b"})
    keys(page, "lab_pair", "ArrowRight", "ArrowRight")
    rates = ROWS["EleutherAI/gpt-neox-20b"]["tables"][0]["inv_freq"]
    expect(part(page, "pair-here")).to_contain_text(said(rates[2], 2, 2048))
    expect_query(page, {"lab_model": "EleutherAI/gpt-neox-20b", "lab_pair": "2"})
    expect_fact(page, "width", TEXTS("width_first", turning=24, head=96))
    page.reload()
    wait_until_still(page)
    expect(part(page, "pair-here")).to_contain_text(said(rates[2], 2, 2048))


def test_layers_and_a_second_model_are_chosen_beside_it(page: Page, app_url: str) -> None:
    lab(page, app_url, lab_model=GEMMA)
    expect_fact(page, "type", "proportional")
    choose(page, TEXTS("layers"), "sliding_attention")
    expect_fact(page, "type", "default")
    choose(page, TEXTS("model_beside"), LLAMA)
    expect_query(page, {"lab_model": GEMMA, "lab_layers": "sliding_attention", "lab_beside": LLAMA})
    expect_fact(page, "type", "≠ llama3", 2)
    expect_fact(page, "attention", "1", 2)
    expect(part(page, "pair-beside")).to_contain_text(said(1.0, 0, 131072))
    expect_plots(page)
    expect(panel(page, "lanes_here").locator(".stage-layers")).to_have_count(2)
    expect(panel(page, "lanes_beside").locator("[data-chosen=yes]")).to_have_count(1)


def test_the_table_follows_the_length_across_its_threshold(page: Page, app_url: str) -> None:
    lab(page, app_url, lab_model=PHI)
    short, long = (table["inv_freq"] for table in ROWS[PHI]["tables"])
    expect(part(page, "pair-here")).to_contain_text(said(short[0], 0, 131072))
    keys(page, "lab_length", "ArrowRight")
    expect(part(page, "pair-here")).to_contain_text(said(long[0], 0, 131072))
    expect(page.get_by_label(TEXTS("exact_lab_length"))).to_have_value("4097")
    slowest = f"{2 * math.pi / np.float32(long[-1]):,.0f}"
    expect_fact(page, "waves", re.compile(re.escape(slowest) + "$"))
    expect_query(page, {"lab_model": PHI, "lab_length": "4097"})
    keys(page, "lab_length", "ArrowLeft")
    expect(part(page, "pair-here")).to_contain_text(said(short[0], 0, 131072))
    expect_query(page, {"lab_model": PHI})


def test_a_click_on_a_pair_takes_it_in_hand(page: Page, app_url: str) -> None:
    lab(page, app_url)
    expect_plots(page)
    box = panel(page, "waves").locator(".nsewdrag").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(slider(page, "lab_pair")).not_to_have_value("0")
    pair = int(slider(page, "lab_pair").input_value())
    assert 28 <= pair <= 36
    rate = ROWS[LLAMA]["tables"][0]["inv_freq"][pair]
    expect(part(page, "pair-here")).to_contain_text(said(rate, pair, 131072).partition(":")[0])


def test_typed_numbers_stand_in_the_link(page: Page, app_url: str) -> None:
    lab(page, app_url)
    page.get_by_role("radiogroup").get_by_text("rope_parameters").click()
    wait_until_still(page)
    box = page.get_by_label("rope_theta", exact=True)
    box.fill("500000")
    box.press("Enter")
    wait_until_still(page)
    choose(page, "rope_type", "linear")
    expect(part(page, "pair-here")).to_contain_text(said(1 / 8, 0, 32768))
    wanted = {"lab_from": "rope_parameters", "lab_rope_theta": "500000", "lab_rope_type": "linear"}
    expect_query(page, wanted)
    page.reload()
    wait_until_still(page)
    expect(part(page, "pair-here")).to_contain_text(said(1 / 8, 0, 32768))
    expect_fact(page, "base", "500,000")


@pytest.mark.parametrize("way", ["dropped", "pasted"])
def test_what_a_file_carries_is_text_and_nothing_more(page: Page, app_url: str, way: str) -> None:
    lab(page, app_url, lab_from="config.json")
    page.evaluate("() => { window.planted = () => (window.harm = true); }")
    text = json.dumps(EVIL_FILE)
    if way == "dropped":
        file = {"name": f"{EVIL}.json", "mimeType": "application/json", "buffer": text.encode()}
        page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files([file])
    else:
        box = page.get_by_label(TEXTS("paste"))
        box.fill(text)
        box.press("Control+Enter")
    expect(part(page, "lanes_here0")).to_contain_text(EVIL[:20])
    wait_until_still(page)
    expect_fact(page, "type", "linear")
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("window.harm") is None
    assert not set(query(page)) - {"lab_from"}
    expect(page.locator("[data-testid=stMain]")).to_contain_text(TEXTS("link_holds_not"))


def test_a_bad_file_is_answered_in_one_sentence_and_the_next_is_read(page: Page, app_url: str) -> None:
    lab(page, app_url, lab_from="config.json")
    drop = page.locator("[data-testid=stFileUploader] input[type=file]")
    drop.set_input_files([{"name": "big.json", "mimeType": "application/json", "buffer": b" " * (2**20 + 1)}])
    expect(page.get_by_role("alert").filter(has_text="1.0MB")).to_be_visible()
    box = page.get_by_label(TEXTS("paste"))
    for text, answer in (("[" * 10_000, TEXTS("fault_deep", deepest=64)), ("{", TEXTS("fault_json", line=1, column=2))):
        box.fill(text)
        box.press("Control+Enter")
        expect(page.locator(".st-key-lab_file_fault").get_by_text(answer)).to_be_visible()
    box.fill(json.dumps(ROWS[LLAMA]["config"]))
    box.press("Control+Enter")
    rates = ROWS[LLAMA]["tables"][0]["inv_freq"]
    expect(part(page, "pair-here")).to_contain_text(said(rates[0], 0, 131072))
    expect_no_exception(page)


def test_the_table_is_taken_home(page: Page, app_url: str) -> None:
    lab(page, app_url, lab_model=PHI, lab_length="5000")
    wanted = np.float32(ROWS[PHI]["tables"][1]["inv_freq"])
    taken = {}
    for kind in ("csv", "json"):
        with page.expect_download() as download:
            page.get_by_role("button", name=TEXTS(f"download_{kind}")).click()
        assert download.value.suggested_filename == f"microsoft-Phi-3-mini-128k-instruct.{kind}"
        taken[kind] = Path(download.value.path()).read_text(encoding="utf-8")
    rows = list(csv.DictReader(taken["csv"].splitlines()))
    assert np.float32([row["inv_freq"] for row in rows]) == pytest.approx(wanted, rel=5e-7)
    data = json.loads(taken["json"])
    assert (data["model"], data["seq_len"]) == (PHI, 5000)
    assert np.float32(data["inv_freq"]) == pytest.approx(wanted, rel=5e-7)
    unfold(page)
    expect(page.locator(".st-key-pairs tbody tr")).to_have_count(48)
    expect(page.locator("[data-testid=stCode]").first).to_contain_text('"rope_type": "longrope"')
    expect(page.locator("[data-testid=stCode]").first).to_contain_text("seq_len = 5000")


def test_nothing_needs_scrolling_sideways_on_a_phone(phone_page: Page, app_url: str) -> None:
    lab(phone_page, app_url, lab_model=GEMMA, lab_beside=PHI)
    expect_plots(phone_page)
    unfold(phone_page)
    assert phone_page.evaluate("document.scrollingElement.scrollWidth") <= 390
    stage = phone_page.locator(".stage").bounding_box()
    assert stage
    assert stage["x"] >= 0
    assert stage["x"] + stage["width"] <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page: NewPage, app_url: str, scheme: str) -> None:
    page, found = new_page(color_scheme=scheme), []
    for values in (
        {"lab_model": PHI, "lab_beside": GEMMA},
        {"lab_from": "config.json"},
        {"lab_from": "rope_parameters"},
    ):
        lab(page, app_url, **values)
        unfold(page)
        found += serious_faults(page)
    assert not found, "\n".join(found)
