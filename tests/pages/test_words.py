"""The words: the same in every language, none missing, and a new language is a folder and nothing else."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.kit import words
from tests.story import FRAME, PAGES

SCENES = FRAME.parents[1] / "assets" / "stage"
PYTHON = FRAME.parent
REAL = words.ROOT
LANGUAGES = list(words.languages())
NAME = st.from_regex(r"[a-z]\w{0,6}", fullmatch=True)
PLAIN = st.text(st.characters(blacklist_characters="[]"), max_size=20)


def forget() -> None:
    """Make the next question about words look at the files again."""
    words.load.cache_clear()
    words.languages.cache_clear()


@pytest.fixture
def own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of words of the test's own, instead of the real one."""
    monkeypatch.setattr(words, "ROOT", tmp_path)
    forget()
    yield tmp_path
    forget()


def write(folder: Path, language: str, page: str, texts: dict[str, str]) -> None:
    """Write the words of one page."""
    (folder / language).mkdir(exist_ok=True)
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in texts.items()]
    (folder / language / f"{page}.toml").write_text("\n".join(lines), encoding="utf-8")


# ---------------------------------------------------------------- the same in every language


def places(text: str) -> set[str]:
    """The names of the placeholders in a text."""
    return {found[1] for found in words.PLACEHOLDER.finditer(text)}


def differences(language: str) -> list[str]:
    """How the words of a language differ in kind from the first language's."""
    found = [f"page {page}" for page in set(words.pages(language)) ^ set(words.pages(words.FIRST_LANGUAGE))]
    for page in ["kit", *set(words.pages(language)) & set(words.pages(words.FIRST_LANGUAGE))]:
        first, other = words.load(words.FIRST_LANGUAGE, page), words.load(language, page)
        found += [f"{page}: {key}" for key in set(first) ^ set(other)]
        found += [f"{page}: {key}" for key in set(first) & set(other) if places(first[key]) != places(other[key])]
    return sorted(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_words(language: str) -> None:
    assert differences(language) == []


def test_a_difference_is_found(own_words: Path) -> None:
    write(own_words, "en", "kit", {"language": "English", "go": "Go"})
    write(own_words, "en", "sea", {"wave": "[[height:.1f]] high", "calm": "calm"})
    write(own_words, "en", "land", {"hill": "hill"})
    write(own_words, "qq", "kit", {"language": "Qq", "gone": "Parti"})
    write(own_words, "qq", "sea", {"wave": "[[hight:.1f]] haut", "calm": "calme"})
    assert differences("qq") == ["kit: go", "kit: gone", "page land", "sea: wave"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", ["kit", *words.pages(words.FIRST_LANGUAGE)])
def test_every_word_is_a_text_with_something_in_it(language: str, page: str) -> None:
    for key, text in words.load(language, page).items():
        assert isinstance(text, str), key
        assert text.strip(), key
        assert text.count("[[") == len(words.PLACEHOLDER.findall(text)), f"{key}: a placeholder is misspelt"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_its_title_and_description(page: str) -> None:
    for key in ("title", "description"):
        assert words.Words(words.FIRST_LANGUAGE, page).has(key)


# ---------------------------------------------------------------- none missing


def asked(source: str) -> set[str]:
    """The patterns of the keys that Python code asks a `texts` for."""
    patterns = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = ast.unparse(node.func)
        if called.split(".")[-1] in ("raw", "has") or re.fullmatch(r"(self\.)?(texts|of_chapter)", called):
            patterns |= pattern(node.args[0])
    return patterns


def pattern(key: ast.expr) -> set[str]:
    """What a key looks like that is written as `key`; nothing where it is only a variable."""
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return {re.escape(key.value)}
    if isinstance(key, ast.JoinedStr):
        parts = [re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in key.values]
        return {"".join(parts)}
    return set()


def missing(patterns: set[str], known: set[str]) -> set[str]:
    """The patterns that no known key has."""
    return {wanted for wanted in patterns if not any(re.fullmatch(wanted, key) for key in known)}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_finds_the_words_it_asks_for(page: str) -> None:
    known = set(words.load("en", "kit")) | set(words.load("en", page))
    assert missing(asked((PYTHON / PAGES[page]).read_text(encoding="utf-8")), known) == set()


def test_a_missing_word_is_found() -> None:
    source = "texts('go'), texts(f'stay_{where}', far=1), texts.raw('swim'), other('fly'), texts(variable)"
    assert missing(asked(source), {"go", "stay_there"}) == {"swim"}
    assert missing(asked(source), {"go", "swim", "stay"}) == {r"stay_\w+"}


def test_each_part_of_the_kit_finds_its_words_on_some_page() -> None:
    for source in sorted((PYTHON / "kit").glob("*.py")):
        wanted = asked(source.read_text(encoding="utf-8"))
        knowing = [set(words.load("en", "kit")) | set(words.load("en", page)) for page in words.pages("en")]
        assert not wanted or min(len(missing(wanted, known)) for known in knowing) == 0, source.name


def strings(source: str) -> set[str]:
    """The patterns of all strings in Python code that could be a key or the name of a part that stands for one."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant | ast.JoinedStr)]
    found = {made.replace(r"\-", "_") for node in nodes for made in pattern(node)}
    return {made for made in found if re.fullmatch(r"[\w\\+]+", made) and made.replace(r"\w+", "").strip("_")}


def test_no_word_is_kept_that_nobody_reads() -> None:
    sources = [path.read_text(encoding="utf-8") for path in PYTHON.rglob("*.py")]
    scenes = [path.read_text(encoding="utf-8") for path in SCENES.iterdir() if path.suffix in (".svg", ".html")]
    wanted = set().union(*map(strings, sources), *map(places, scenes))
    for page in ["kit", *words.pages("en")]:
        for key in words.load("en", page):
            halves = [(key[:at], key[at + 1 :]) for at, letter in enumerate(key) if letter == "_"]
            composed = any(first in wanted and second in wanted for first, second in halves)
            assert composed or any(re.fullmatch(pattern, key) for pattern in wanted), f"{page}: {key}"


# ---------------------------------------------------------------- a new language is a folder and nothing else


@pytest.fixture
def pseudo(own_words: Path) -> str:
    """A second language in which every text stands in brackets."""
    for path in (REAL / "en").glob("*.toml"):
        texts = tomllib.loads(path.read_text(encoding="utf-8"))
        write(own_words, "en", path.stem, texts)
        write(own_words, "qq", path.stem, {key: f"⟦{text}⟧" for key, text in texts.items()})
    return "qq"


def opened(page: str, language: str) -> AppTest:
    """The page as a visitor sees it who chose the language."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    app.session_state["lang"] = language
    app.switch_page(PAGES[page])
    return app.run()


def visible(app: AppTest) -> list[str]:
    """Every text on the page but code: prose, labels, and what the stages show."""
    prose = [app.title, app.header, app.subheader, app.caption, app.markdown]
    found = [element.value for kind in prose for element in kind]
    labelled = [app.number_input, app.expander, app.button, app.text_area, app.checkbox]
    found += [element.label for kind in labelled for element in kind]
    found += [link.proto.label for link in app.get("page_link")]
    for stage in app.get("bidi_component"):
        data = json.loads(stage.proto.json)[0]
        found += [text for c in data["controls"] for text in (c["label"], c["help"], *(c["choices"] or ()))]
        found += [panel["description"] for panel in data["panels"] if panel["description"]]
        found += data["words"].values()
    return found


@pytest.mark.parametrize("page", PAGES)
def test_a_new_language_needs_no_code(pseudo: str, page: str) -> None:
    assert words.languages() == {"en": "English", "qq": "⟦English⟧"}
    assert differences(pseudo) == []
    app = opened(page, pseudo)
    assert not app.exception
    texts = visible(app)
    assert len(texts) > 20
    assert [text for text in texts if "⟦" not in text] == []
    assert [text for text in visible(opened(page, "en")) if "⟦" in text] == []


@pytest.mark.usefixtures("pseudo")
def test_a_link_opens_in_its_language() -> None:
    app = AppTest.from_file(FRAME, default_timeout=60)
    app.query_params["lang"] = "qq"
    assert app.run().title[0].value == words.load("qq", "home")["claim"]


def test_a_page_that_is_not_there_is_named(own_words: Path) -> None:
    write(own_words, "en", "kit", {"language": "English"})
    with pytest.raises(KeyError, match="no words for page 'sea' in language 'qq'"):
        words.load("qq", "sea")


def test_a_page_has_its_own_words_before_those_of_all_pages(own_words: Path) -> None:
    write(own_words, "en", "kit", {"language": "English", "go": "Go", "stay": "Stay"})
    write(own_words, "en", "sea", {"go": "Sail [[far:.1f]] miles"})
    texts = words.Words("en", "sea")
    assert (texts("go", far=-0.04), texts("stay")) == ("Sail 0.0 miles", "Stay")
    assert texts.raw("go") == "Sail [[far:.1f]] miles"
    assert texts.has("stay")
    assert not texts.has("swim")
    with pytest.raises(KeyError, match="far"):
        texts("go")
    with pytest.raises(KeyError, match="swim"):
        texts("swim")


# ---------------------------------------------------------------- placeholders and numbers


@given(st.lists(st.tuples(PLAIN, NAME, st.sampled_from(["", ".3f", ",", ".1%"]))), PLAIN)
def test_every_placeholder_is_filled_and_nothing_else_changes(pieces: list[tuple[str, str, str]], end: str) -> None:
    text = "".join(f"{plain}[[{name}{':' * bool(spec)}{spec}]]" for plain, name, spec in pieces) + end
    assert (
        words.fill(text, lambda name, spec: f"<{name}|{spec}>")
        == "".join(f"{plain}<{name}|{spec}>" for plain, name, spec in pieces) + end
    )


@pytest.mark.parametrize("text", ["{m}", "$x_1$", "[m]", "[[m", "[[ m ]]", "[[m:]]", r"\\theta", "a % b"])
def test_what_belongs_to_mathematics_is_left_alone(text: str) -> None:
    assert words.fill(text, lambda name, spec: "filled") == text


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_a_number_can_be_read_back(number: float, decimals: int) -> None:
    text = words.readable(number, f",.{decimals}f")
    value = float(text.replace(",", "").replace("−", "-"))
    assert value == pytest.approx(number, abs=0.501 * 10**-decimals)
    assert "-" not in text
    assert text.startswith("−") == (value < 0)


@given(st.floats(1e-300, 1e300), st.sampled_from([1, -1]))
def test_a_power_of_ten_is_written_as_one(size: float, sign: int) -> None:
    text = words.readable(sign * size, ".2e")
    digits, power = text.split(" × 10")
    plain = f"{digits}e{power.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))}".replace("−", "-")
    assert float(plain) == float(f"{sign * size:.2e}")


def test_a_word_is_left_as_it_is() -> None:
    assert words.readable("well-known", "") == "well-known"
    assert words.readable(-12, "") == "−12"
    assert words.readable(-0.0, ".1f") == "0.0"
