"""The frame around every page: language, navigation, style; runs the chosen page."""

from pathlib import Path

import streamlit as st

from pages.kit import chapter, language, words, worker

HERE = Path(__file__).resolve().parent
STORY = ("gap", "address", "lighthouse", "dancers", "bells", "door", "screw", "nowhere")
WORKSHOP = ("lab", "doctor", "precision", "training")


def page(name: str, folder: str = "", default: bool = False) -> st.Page:
    """The page called `name`, titled in the visitor's language."""
    return st.Page(HERE / folder / f"{name}.py", title=words.of(name)("title"), url_path=name, default=default)


def main() -> None:
    """Choose the language, build the navigation, run the page."""
    st.set_page_config(layout="wide", initial_sidebar_state="collapsed")
    language.choose()
    home = page("home", default=True)
    story = {name: page(name, "chapters") for name in STORY}
    workshop = {name: page(name, "workshop") for name in WORKSHOP}
    chapter.tell(home, story, workshop)
    st.html(HERE.parent / "assets" / "page.css")
    kit = words.of("kit")
    sections = {"": [home], kit("story"): list(story.values()), kit("workshop"): list(workshop.values())}
    chosen = st.navigation(sections, position="top")
    worker.on_page(chosen.url_path)
    chosen.run()


main()
