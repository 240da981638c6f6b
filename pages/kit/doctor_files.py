"""Files for the doctor: asked for, sent to the worker, answered with a diagnosis, a question or a sentence."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.kit import doctor_upload, doctor_words, lab_upload, prose, tensor_files, waiting, words, worker
from pages.kit.doctor_case import Asked, Reply, Seen
from pages.kit.lab_upload import UploadError, plain
from pages.kit.words import Words
from pages.kit.worker_lanes import Job
from rope_core.config import RopeSpec, read_config
from rope_core.keys import RopeConfigError

KNOWN, JOB = "doctor_known", "doctor_job"  # of the session: replies by digest, and the job under way with its digest
KEPT = 8  # replies
PATIENCE = 0.4  # seconds that a short job may take before the page says that it waits
MOST_HEADS = 4096
Files = Sequence[tuple[str, bytes]]


def brought(texts: Words) -> tuple[Seen, Asked] | None:
    """Ask for files; what the doctor finds in them, None while there is nothing to show but a sentence."""
    dropped = st.file_uploader(
        texts("drop"),
        key="doctor_files",
        help=texts("arrays_help"),
        accept_multiple_files=True,
        max_upload_size=tensor_files.LARGEST,
    )
    asked = _asked(texts)
    prose.small_print(texts("not_stored"))
    if not dropped:
        return None
    if len(dropped) > doctor_upload.FILES:
        _refused(texts("fault_files", found=len(dropped)), texts)
        return None
    files = [(file.name, file.getvalue()) for file in dropped]
    reply = _reply(files, None, asked, texts)
    if reply and "which" in reply:
        reply = _reply(files, _first(reply["which"], texts), asked, texts)
    if reply and "fault" in reply:
        _refused(_sentence(reply, texts), texts)
    if not reply or "seen" not in reply:
        return None
    if reply["unused"]:
        prose.small_print(texts("unused", labels=", ".join(doctor_words.code(label) for label in reply["unused"])))
    return Seen(**reply["seen"]), asked


def _first(labels: Sequence[str], texts: Words) -> int:
    """Let the visitor say which of two arrays went in."""
    shown = [plain(label) for label in labels]
    return int(st.selectbox(texts("which"), [0, 1], format_func=lambda i: f"{i + 1}. {shown[i]}", key="doctor_which"))


def _asked(texts: Words) -> Asked:
    """What is known of the model, without its file where that cannot be read, which is said."""
    with st.expander(texts("model")):
        file = st.file_uploader(texts("config"), key="doctor_config", max_upload_size=lab_upload.LARGEST)
        left, right = st.columns(2, vertical_alignment="bottom")
        how: dict[str, Any] = {"min_value": 0, "max_value": MOST_HEADS, "value": 0, "step": 1}
        heads = left.number_input(texts("heads"), key="doctor_heads", **how)
        kv_heads = right.number_input(texts("kv_heads"), key="doctor_kv_heads", **how)
        counts = Asked(num_heads=int(heads), num_kv_heads=int(kv_heads))
        if file is None:
            return counts
        try:
            specs = read_config(lab_upload.parsed(file.getvalue()))
        except (UploadError, RopeConfigError) as error:
            _refused(lab_upload.sentence(error, words.of("lab")), texts)
            return counts
        return replace(counts, specs=specs, layer_type=_layer_type(specs, texts))


def _layer_type(specs: Mapping[str, RopeSpec], texts: Words) -> str | None:
    """The kind of layers at hand: the only one there is, or the one that the visitor names; None where not known."""
    kinds = list(specs)
    if len(kinds) == 1:
        return kinds[0]
    labels = [texts("layers_open"), *(plain(kind) for kind in kinds)]
    at = st.selectbox(texts("layers"), range(len(labels)), format_func=labels.__getitem__, key="doctor_layers")
    return kinds[at - 1] if at else None


def _reply(files: Files, first: int | None, asked: Asked, texts: Words) -> Reply | None:
    """The worker's reply, from this session's memory where it is there; None while it is not, which is said."""
    digest = _digest(files, first, asked)
    known = st.session_state.setdefault(KNOWN, {})
    if digest not in known:
        job = _job(digest, files, first, asked)
        job.wait(PATIENCE)
        if job.state != "done":
            waiting.show(job, texts("examining"), _forget_job)
            return None
        known[digest] = job.result
        _forget_job()
        for old in list(known)[:-KEPT]:
            del known[old]
    reply: Reply = known[digest]
    return reply


def _job(digest: str, files: Files, first: int | None, asked: Asked) -> Job:
    """The job for these files; one for others is stopped."""
    of, job = st.session_state.get(JOB, (None, None))
    if job is None or of != digest or job.state == "stopped":
        if job is not None:
            job.stop()
        job = worker.start("bench", "pages.kit.doctor_case:run", files, first, asked)
        st.session_state[JOB] = digest, job
    found: Job = job
    return found


def _forget_job() -> None:
    st.session_state.pop(JOB, None)


def _digest(files: Files, first: int | None, asked: Asked) -> str:
    whole = hashlib.sha256(repr((first, asked)).encode(errors="backslashreplace"))
    for name, data in files:
        whole.update(hashlib.sha256(name.encode(errors="backslashreplace")).digest() + hashlib.sha256(data).digest())
    return whole.hexdigest()


def _sentence(reply: Reply, texts: Words) -> str:
    """Why something is not taken; what it quotes of the file is cut and printable."""
    said = {name: plain(value, 120) if isinstance(value, str) else value for name, value in reply["said"].items()}
    sentence = texts(f"fault_{reply['fault']}", **said)
    return f"{said['file']}: {sentence}" if "file" in said else sentence


def _refused(sentence: str, texts: Words) -> None:
    """Say what is wrong, as text: the sentence may quote the file."""
    with st.container(border=True, key="doctor_fault"):
        st.markdown(texts("refused"))
        st.text(sentence)
