"""The frame of a chapter: claim, predict, picture, formula, why, code, mistake, take home, next."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.kit import stage, words
from pages.kit.link import Quantity
from pages.kit.stage import Picture
from pages.kit.words import Words

CODE = Path(__file__).resolve().parents[2] / "assets" / "code"
PROSE_WIDTH = 480
ANSWERS = ("a", "b", "c")


def tell(home: st.Page, story: Mapping[str, st.Page], workshop: Mapping[str, st.Page]) -> None:
    """Remember the pages of the story and of the workshop in reading order; the frame calls this on every run."""
    st.session_state["story"] = {"home": home, **story}
    st.session_state["workshop"] = workshop


def link_to(name: str, label: str, width: int | Literal["content"] = "content") -> None:
    """A link to a page of the story or the workshop that keeps the language."""
    lang = st.query_params.get("lang")
    page = (st.session_state["story"] | st.session_state["workshop"])[name]
    st.page_link(page, label=label, query_params={"lang": lang} if lang else None, width=width)


def aside(text: str) -> str:
    """`text` as a grey line; Streamlit's own caption is too pale to read."""
    return f":gray[{text}]"


def show(
    name: str,
    quantities: Sequence[Quantity],
    build: Callable[[dict[str, int]], Picture],
    facts: Mapping[str, float | str],
    above: Callable[[], None] | None = None,
    below: Callable[[Words], None] | None = None,
) -> None:
    """Show a chapter: `build` makes its picture of the values of `quantities`, `facts` are the numbers in its prose.

    `above`: what the chapter asks above its picture. `below`: what it adds under its opening spread.
    """
    texts = words.of(name)
    with st.container(horizontal=True, key="spread"):
        with st.container(key="picture"):
            if above:
                above()
            st.fragment(stage.show)(name, quantities, build)
        with st.container(key="prose", width=PROSE_WIDTH):
            _opening(name, texts, facts)
            _folds(name, texts, facts)
    if below:
        below(texts)
    _closing(name, texts, facts)


def _opening(name: str, texts: Words, facts: Mapping[str, float | str]) -> None:
    order = list(st.session_state["story"])
    st.markdown(aside(texts("place", number=order.index(name), total=len(order) - 1, minutes=texts("minutes"))))
    st.title(texts("claim"), anchor=False)
    st.markdown(texts("lead", **facts))
    _predict(name, texts, facts)
    st.markdown(texts("formula", **facts))


@st.fragment
def _predict(name: str, texts: Words, facts: Mapping[str, float | str]) -> None:
    """A question before the picture answers it; every answer is met with a reason, none is required."""
    answers = {
        texts(f"predict_{answer}"): f"predict_{answer}_reply" for answer in ANSWERS if texts.has(f"predict_{answer}")
    }
    answers[texts("predict_show")] = "predict_answer"
    with st.container(key="predict"):
        st.markdown(f"**{texts('predict_heading')}** {texts('predict_question', **facts)}")
        label = texts("predict_heading")
        guess = st.pills(label, list(answers), key=f"{name}_guess", label_visibility="collapsed")
        if guess:
            st.markdown(texts(answers[guess], **facts))


def _folds(name: str, texts: Words, facts: Mapping[str, float | str]) -> None:
    with st.expander(texts("why_title")):
        st.markdown(texts("why", **facts))
    with st.expander(texts("code_title")):
        with_core, with_torch = st.tabs(["rope_core", "torch"])
        with_core.code((CODE / f"{name}_rope_core.py").read_text(encoding="utf-8"), wrap_lines=True)
        with_torch.code((CODE / f"{name}_torch.py").read_text(encoding="utf-8"), wrap_lines=True)
    with st.expander(texts("mistake_title")):
        st.markdown(texts("mistake", **facts))


def _closing(name: str, texts: Words, facts: Mapping[str, float | str]) -> None:
    with st.container(key="closing"):
        st.markdown(texts("take_home", **facts))
        order = list(st.session_state["story"])
        at = order.index(name)
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            link_to(order[at - 1], texts("previous", page=words.of(order[at - 1])("title")))
            after = [*order, *st.session_state["workshop"]][at + 1]
            link_to(after, texts("next", page=words.of(after)("title")))
