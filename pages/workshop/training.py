"""Training: tiny transformers that differ in how they learn of places, trained now, looked at beyond their length."""

import streamlit as st

from pages.kit import prose, stage, training_data, training_picture, training_settings, words
from pages.kit.stage import Picture
from pages.kit.worker_lanes import Job
from rope_core.training_plan import KINDS, REACH, TOKENS, WAYS, Plan

EVERY = 0.7  # seconds between two looks at the work
texts = words.of("training")


def progress(plan: Plan, job: Job) -> None:
    """How the work stands: the place in the queue, or the steps done and the time left; and a way to stop it."""
    told = job.progress[-1] if job.progress else None
    if place := job.place:
        st.markdown(words.of("kit")("worker_waiting", place=place))
    elif told is None:
        st.progress(0.0, texts("starting"))
    else:
        step = training_data.losses(list(job.progress), plan).shape[1]
        phase = texts("training", step=step, steps=plan.steps) if told.losses else texts("looking")
        st.progress(told.share, f"{phase} {texts('left', seconds=training_data.seconds_left(told))}")
    st.button(texts("stop"), on_click=job.stop, key="training_stop")


def ended(plan: Plan, job: Job) -> None:
    """Say that the work was stopped, or what went wrong; that can be tried again."""
    kit = words.of("kit")
    st.markdown(texts("stopped") if job.state == "stopped" else kit(f"worker_{job.fault}"))
    if job.state == "failed":
        st.button(kit("worker_retry"), on_click=training_data.begin, args=(plan,), key="training_retry")


def picture() -> Picture:
    """The losses of the work that goes on, else the last outcome."""
    going = training_data.job()
    if going and not going[1].is_over:
        plan, job = going
        return training_picture.live(training_data.losses(list(job.progress), plan), plan, texts)
    plan, outcome = training_data.shown()
    return training_picture.build(outcome, plan, texts)


def work(is_followed: bool) -> None:
    """The work, where there is any; once it is over the page runs again."""
    going = training_data.job()
    if is_followed and (going is None or going[1].is_over):
        st.rerun()
    if going:
        with st.container(border=True, key="training_work"):
            (ended if going[1].is_over else progress)(*going)


def pictures(asked: Plan | None, is_followed: bool) -> None:
    """The work's losses while it goes on, else the last outcome and whose it is."""
    whose = st.container()  # stands always, so that the stage below keeps its place and is not built anew
    if not is_followed:
        plan, _ = training_data.shown()
        own = training_data.OWN in st.session_state
        said = texts("shown_own" if own else "shown_stored", **vars(plan) | {"kinds": len(plan.kinds)})
        whose.markdown(said + (texts("shown_other") if asked not in (None, plan) else ""))
    stage.show("training", [], lambda _: picture())


def facts() -> dict[str, float]:
    """The numbers of the prose, of the default plan."""
    plan, outcome = Plan(), training_data.of_default()
    kinds, ways = {kind: KINDS.index(kind) for kind in KINDS}, {way: WAYS.index(way) for way in WAYS}
    made: dict[str, float] = {"gap": plan.gap, "shifted": plan.shifted_gap, "further": plan.further, "reach": REACH}
    made |= {"length": plan.length, "target": plan.target, "tokens": TOKENS, "factor": plan.factor}
    made |= {f"{kind}_learned": outcome.learned_at()[row] or 0 for kind, row in kinds.items() if kind != "none"}
    made |= {f"{kind}_within": outcome.right_within(plan.length)[row] for kind, row in kinds.items()}
    made |= {f"{kind}_right": outcome.right_within(plan.target)[row] for kind, row in kinds.items()}
    made |= {f"{kind}_far": outcome.right_within(REACH)[row] for kind, row in kinds.items()}
    made |= {f"{way}_at_once": outcome.stretched[row, 0] for way, row in ways.items()}
    made |= {f"{way}_after": outcome.stretched[row, -1] for way, row in ways.items()}
    return made | {"linear_shifted": outcome.shifted[ways["linear"]]}


def folds() -> None:
    """What came out, why, and what it does not show."""
    with st.expander(texts("out_title")):
        st.markdown(texts("out", **facts()))
    with st.expander(texts("stretch_title")):
        st.markdown(texts("stretch", **facts()))
    with st.expander(texts("made_title")):
        st.markdown(texts("made", **facts()))


left, right = st.columns([5, 7], gap="large")
with left:
    prose.opening(texts, **facts())
    asked = training_settings.ask(texts)
    going = training_data.job()
    busy = going is not None and not going[1].is_over
    label = texts("train" if asked else "train_none")
    st.button(label, on_click=training_data.begin, args=(asked,), disabled=busy or not asked)
    every = EVERY if busy else None
    st.fragment(work, run_every=every)(busy)
    folds()
with right:
    st.fragment(pictures, run_every=every)(asked, busy)
