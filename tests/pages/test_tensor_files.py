"""Files that visitors bring: good ones read back exactly, everything else is a reason with a sentence of its own."""

import io
import json
import pickle
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from pages.kit import tensor_files, words
from pages.kit.doctor_upload import WhichIsWhichError, read
from pages.kit.tensor_files import BYTES, FileError, arrays

TEXTS = words.Words("en", "doctor")
RNG = np.random.default_rng(5)
X, Y = RNG.standard_normal((2, 3, 8)), RNG.standard_normal((2, 3, 8))
DTYPES = ["<f2", "<f4", "<f8", ">f4", ">f8"]


def npz(**named: Any) -> bytes:
    """An .npz file as numpy writes it."""
    file = io.BytesIO()
    np.savez(file, **named)
    return file.getvalue()


def zipped(members: dict[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def npy(array: np.ndarray, **told: Any) -> bytes:
    """An .npy file; `told` replaces what its header says."""
    file = io.BytesIO()
    head = np.lib.format.header_data_from_array_1_0(array) | told
    np.lib.format.write_array_header_1_0(file, head)
    return file.getvalue() + array.tobytes()


def tensors(header: Any, body: bytes = b"", size: int | None = None) -> bytes:
    """A .safetensors file with any header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if size is None else size).to_bytes(8, "little") + text + body


def tensor(dtype: str = "F32", shape: Any = (2, 2), offsets: Any = (0, 16)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def reason(file: str, data: bytes) -> str:
    """Why a file is not taken; there is a sentence for it."""
    with pytest.raises(FileError) as caught:
        arrays(file, data)
    return told(caught.value)


def told(error: FileError) -> str:
    said = TEXTS(f"fault_{error.reason}", **error.said)
    assert said.endswith(".")
    assert "[[" not in said
    return error.reason


# ---------------------------------------------------------------- good files


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", "CF")
def test_an_npz_reads_back_exactly(dtype: str, how: Callable[..., None], order: str) -> None:
    file, written = io.BytesIO(), X.astype(dtype, order=order)
    how(file, before=written, positions=np.arange(3))
    found = arrays("Some.NPZ", file.getvalue())
    assert set(found) == {"before", "positions"}
    assert np.array_equal(found["before"], written)
    assert found["before"].dtype == np.dtype(dtype).newbyteorder("=")
    assert found["before"].flags.c_contiguous


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_safetensors_reads_back_exactly(dtype: torch.dtype) -> None:
    written = torch.tensor(X).to(dtype)
    found = arrays("x.safetensors", safetensors.torch.save({"before": written, "after": -written}, {"made": "by us"}))
    assert np.array_equal(found["before"], written.to(torch.float64).numpy())
    assert np.array_equal(found["after"], -found["before"])


@given(
    shape=st.lists(st.integers(0, 4), max_size=4).map(tuple),
    dtype=st.sampled_from([*DTYPES, "<i8", "|u1"]),
    name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\\\0:"), min_size=1, max_size=8),
)
def test_any_small_array_reads_back(shape: tuple[int, ...], dtype: str, name: str) -> None:
    array = RNG.integers(0, 99, shape).astype(dtype)
    found = arrays("x.npz", zipped({f"{name}.npy": npy(array)}))
    assert list(found) == [name]
    assert np.array_equal(found[name], array)
    if array.dtype.kind == "f" and array.dtype.isnative:
        assert np.array_equal(arrays("x.safetensors", save({name: array}))[name], array)


# ---------------------------------------------------------------- files that are not taken

GOOD_ZIP, GOOD_TENSORS = npz(before=X, after=Y), save({"before": X, "after": Y})
ZEROS = npy(np.zeros(BYTES // 4, np.float32))  # as much as is taken, and its header

NOT_NPZ = {
    "empty": b"",
    "no_zip": b"before,after\n1,2\n",
    "cut": GOOD_ZIP[:300],
    "damaged": GOOD_ZIP[:200] + b"\xff" * 8 + GOOD_ZIP[208:],
    "large": b"\0" * (BYTES + 1),
    "bomb": zipped({"before.npy": ZEROS}, zipfile.ZIP_DEFLATED),
    "pickled": npz(before=np.array([None, {}], dtype=object)),
    "many": npz(**{f"a{i}": X for i in range(17)}),
    "no_arrays": zipped({}),
    "no_array": zipped({"archive/data.pkl": pickle.dumps(X)}),
    "packing": zipped({"before.npy": npy(X)}, zipfile.ZIP_LZMA),
    "dtype": npz(before=X + 1j),
    "rank": npz(before=X[:, None, None, :, :]),
    "size": zipped({"before.npy": npy(X, shape=(2, 3, 9))}),
    "ending": None,
}
ALSO_NPZ = [
    ("no_zip", pickle.dumps(X)),
    ("no_array", zipped({"before.npy": b"\x80\x04."})),
    ("no_array", zipped({"before.npy": npy(X)[:40]})),
    ("no_array", zipped({"before.npy": b"\x93NUMPY\x01\x00\x10\x27" + b"(" * 10_000})),
    ("no_array", zipped({"before.npy": b"\x93NUMPY\x09\x00\x10\x00" + b" " * 16})),
    ("pickled", zipped({"before.npy": npy(X, descr="|O")})),
    ("pickled", zipped({"before.npy": npy(X, descr=[("a", "|O"), ("b", "<f8")])})),
    ("dtype", npz(before=np.array(["a", "b"]))),
    ("dtype", npz(before=X > 0)),
    ("dtype", npz(before=X.astype(np.longdouble))),
    ("dtype", zipped({"before.npy": npy(X, descr=[("a", "<f8")])})),
    ("size", zipped({"before.npy": npy(X, shape=(-1, 3, 8))})),
    ("size", zipped({"before.npy": npy(X, shape=(2**40, 2**40, 8))})),
    ("bomb", zipped({"a.npy": ZEROS[: BYTES // 2 + 1], "b.npy": ZEROS[: BYTES // 2]}, zipfile.ZIP_DEFLATED)),
]


@pytest.mark.parametrize(("why", "data"), [*NOT_NPZ.items(), *ALSO_NPZ])
def test_an_npz_that_is_not_taken_has_its_reason(why: str, data: bytes | None) -> None:
    if data is None:
        assert reason("before.pt", GOOD_ZIP) == reason("before", GOOD_ZIP) == why
    else:
        assert reason("x.npz", data) == why


def test_a_directory_that_tells_less_than_it_holds_is_not_believed() -> None:
    bomb = zipped({"before.npy": ZEROS}, zipfile.ZIP_DEFLATED)
    small = bomb.replace(len(ZEROS).to_bytes(4, "little"), (200).to_bytes(4, "little"))
    assert small != bomb
    tracemalloc.start()
    assert reason("x.npz", small) == "damaged"
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_encrypted_members_and_repeated_ones_are_not_taken() -> None:
    locked = bytearray(zipped({"before.npy": npy(X)}))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    assert reason("x.npz", bytes(locked)) == "packing"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("before.npy", npy(X))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("before.npy", npy(Y))
    assert reason("x.npz", file.getvalue()) == "twice"


FOUR = b"\0" * 16
NOT_TENSORS = [
    ("empty", b""),
    ("cut", b"\x10\0\0"),
    ("cut", GOOD_TENSORS[:60]),
    ("header_long", b"before,after\n1,2\n"),
    ("header_long", tensors({"before": tensor()}, FOUR, size=2**20 + 1)),
    ("header_long", tensors(b"{" + b" " * 2**20, FOUR)),
    ("header", tensors(b"{", FOUR)),
    ("header", tensors(b"\xff\xfe", FOUR)),
    ("header", tensors(b'{"a":' * 100_000, FOUR)),
    ("header", tensors([], FOUR)),
    ("header", tensors({"before": 3}, FOUR)),
    ("header", tensors({"before": {}}, FOUR)),
    ("header", tensors({"before": tensor(shape=[2, -2])}, FOUR)),
    ("header", tensors({"before": tensor(shape=[2, 2.0])}, FOUR)),
    ("header", tensors({"before": tensor(shape=[True, 4])}, FOUR)),
    ("header", tensors({"before": tensor(offsets=[0, 8, 16])}, FOUR)),
    ("header", tensors({"before": tensor(shape="22")}, FOUR)),
    ("header", tensors({"before": tensor(dtype=None)}, FOUR)),
    ("header", tensors(b'{"before":{"dtype":"F32","shape":[1],"data_offsets":[0,1' + b"0" * 5_000 + b"]}}", FOUR)),
    ("twice", tensors(b'{"a": 1, "a": 2}', FOUR)),
    ("no_arrays", tensors({}, b"")),
    ("no_arrays", tensors({"__metadata__": {"a": "b"}}, b"")),
    ("many", tensors({f"a{i}": tensor(shape=[0], offsets=[0, 0]) for i in range(17)})),
    ("dtype", tensors({"before": tensor("I64", [2], [0, 16])}, FOUR)),
    ("dtype", tensors({"before": tensor("F8_E4M3", [16], [0, 16])}, FOUR)),
    ("dtype", tensors({"before": tensor("banana")}, FOUR)),
    ("outside", tensors({"before": tensor(shape=[2, 3], offsets=[0, 24])}, FOUR)),
    ("outside", tensors({"before": tensor(offsets=[2**62, 2**62 + 16])}, FOUR)),
    ("outside", tensors({"before": tensor(offsets=[16, 0])}, FOUR)),
    ("size", tensors({"before": tensor(shape=[2, 3])}, FOUR)),
    ("size", tensors({"before": tensor(shape=[2**31, 2**31, 2**31])}, FOUR)),
    ("rank", tensors({"before": tensor(shape=[1, 1, 1, 2, 2])}, FOUR)),
    ("overlap", tensors({"before": tensor(), "after": tensor()}, FOUR)),
    ("overlap", tensors({"before": tensor(), "after": tensor(offsets=[8, 24])}, FOUR + FOUR)),
    ("overlap", tensors({"before": tensor(), "after": tensor(offsets=[20, 36])}, FOUR + FOUR + b"\0" * 4)),
    ("overlap", tensors({"before": tensor()}, FOUR + b"\0")),
    ("large", b"\0" * (BYTES + 1)),
]


@pytest.mark.parametrize(("why", "data"), NOT_TENSORS)
def test_a_safetensors_that_is_not_taken_has_its_reason(why: str, data: bytes) -> None:
    assert reason("x.safetensors", data) == why


def test_nothing_is_unpacked_of_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was opened"))
    assert reason("x.npz", NOT_NPZ["bomb"] or b"") == "bomb"


def test_nothing_is_ever_unpickled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, lambda *_, **__: pytest.fail("something was unpickled"))
    assert reason("x.npz", NOT_NPZ["pickled"] or b"") == "pickled"
    assert reason("x.npz", zipped({"before.npy": npy(X, descr="|O")})) == "pickled"


GOOD = {"x.npz": GOOD_ZIP, "y.npz": zipped({"before.npy": npy(X), "after.npy": npy(Y)}, zipfile.ZIP_DEFLATED)}
GOOD |= {"x.safetensors": GOOD_TENSORS}
EDITS = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=6)


@given(file=st.sampled_from(list(GOOD)), edits=EDITS, kept=st.floats(0, 1), head=st.booleans())
def test_a_damaged_file_gives_arrays_or_a_reason(
    file: str, edits: list[tuple[float, int]], kept: float, head: bool
) -> None:
    data = bytearray(GOOD[file])
    for where, value in edits:  # mostly where the headers lie: at the start, and at the end of a zip
        span = 160 if head else len(data)
        data[-1 - int(where * span) if file.endswith("npz") and value % 2 else int(where * span)] = value
    cut = bytes(data) if kept > 0.3 else bytes(data[: int(kept * len(data) / 0.3)])
    try:
        read([(file, cut)], None)
    except FileError as error:
        told(error)
    except WhichIsWhichError:
        pass  # the names are what was damaged


@given(file=st.sampled_from(["x.npz", "x.safetensors"]), data=st.binary(max_size=300))
def test_any_bytes_give_arrays_or_a_reason(file: str, data: bytes) -> None:
    for start in (b"", b"PK\x03\x04", b"PK\x05\x06", b"\x40\0\0\0\0\0\0\0{"):
        try:
            assert arrays(file, start + data)
        except FileError as error:
            told(error)


# ---------------------------------------------------------------- which is which


def sides(*files: tuple[str, bytes], first: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    found = read(files, first)
    return found.before, found.after


def test_sides_are_known_by_their_names() -> None:
    for files in (
        [("x.npz", GOOD_ZIP)],
        [("x.safetensors", GOOD_TENSORS)],
        [("a.npz", npz(After=Y)), ("b.npz", npz(BEFORE=X))],
        [("after.npz", npz(a=Y)), ("before.safetensors", save({"a": X}))],
        [("x.npz", npz(q=Y, before=X))],
        [("x.npz", npz(after=Y, q=X))],
        [("x.npz", npz(before=X, other=X[0, 0], more=Y, after=Y))],
    ):
        before, after = sides(*files)
        assert np.array_equal(before, X)
        assert np.array_equal(after, Y)


@pytest.mark.parametrize(
    "files", [[("x.npz", npz(q=X, q_rot=Y, position_ids=np.arange(3)))], [("a.npz", npz(q=X)), ("b.npz", npz(q=Y))]]
)
def test_two_unknown_names_are_the_visitors_to_tell(files: list[tuple[str, bytes]]) -> None:
    with pytest.raises(WhichIsWhichError) as caught:
        read(files, None)
    assert len(set(caught.value.labels)) == 2
    assert np.array_equal(sides(*files, first=0)[0], X)
    assert np.array_equal(sides(*files, first=1)[0], Y)


def test_positions_come_along() -> None:
    wanted = np.array([3, 5, 9])
    for given_positions in (wanted, wanted.astype(np.float32), wanted[None], np.stack([wanted, wanted])):
        found = read([("x.npz", npz(before=X, after=Y, positions=given_positions))], None)
        assert np.array_equal(found.positions, wanted)
    assert read([("x.npz", GOOD_ZIP)], None).positions is None


def test_what_is_not_used_is_named() -> None:
    found = read([("x.npz", npz(before=X, after=Y, positions=np.arange(3), more=Y)), ("y.npz", npz(b=X))], None)
    assert found.unused == ("more (x.npz)", "b (y.npz)")
    assert read([("x.npz", GOOD_ZIP)], None).unused == ()


def test_of_two_files_the_bad_one_is_named() -> None:
    for files, bad in (([("x.npz", GOOD_ZIP), ("y.npz", b"no")], "y.npz"), ([("x.npz", b"no")], None)):
        with pytest.raises(FileError) as caught:
            read(files, None)
        assert caught.value.said.get("file") == bad


HOLED = X.copy()
HOLED[0, 1, 2], HOLED[1, 0, 0] = np.nan, -np.inf
WRONG: list[tuple[str, list[tuple[str, bytes]]]] = [
    ("files", [("x.npz", GOOD_ZIP)] * 3),
    ("not_finite", [("x.npz", npz(before=HOLED, after=Y))]),
    ("not_finite", [("x.npz", npz(before=X, after=HOLED))]),
    ("not_finite", [("x.safetensors", save({"before": X, "after": HOLED.astype(np.float16)}))]),
    ("not_finite", [("x.npz", npz(before=X, after=Y, positions=HOLED[0, 1, :3]))]),
    ("shapes", [("x.npz", npz(before=X, after=Y[:, :2]))]),
    ("shapes", [("x.npz", npz(before=X[0], after=Y))]),
    ("rank", [("x.npz", npz(before=X[0, 0], after=Y))]),
    ("rank", [("x.npz", npz(before=np.float64(1), after=Y))]),
    ("no_values", [("x.npz", npz(before=X[:, :0], after=Y[:, :0]))]),
    ("odd", [("x.npz", npz(before=X[..., :7], after=Y[..., :7]))]),
    ("wide", [("x.npz", npz(before=np.ones((3, 1026)), after=np.ones((3, 1026))))]),
    ("long", [("x.npz", npz(before=np.ones((4097, 2)), after=np.ones((4097, 2))))]),
    ("dtype", [("x.npz", npz(before=np.ones((3, 8), int), after=np.ones((3, 8), int)))]),
    ("roles", [("x.npz", npz(a=X, b=Y, c=X))]),
    ("one_array", [("x.npz", npz(before=X))]),
    ("twice", [("x.npz", GOOD_ZIP), ("y.npz", GOOD_ZIP)]),
    ("positions", [("x.npz", npz(before=X, after=Y, positions=np.arange(4)))]),
    ("positions", [("x.npz", npz(before=X, after=Y, positions=np.arange(12).reshape(2, 2, 3)))]),
    ("positions", [("x.npz", npz(before=X, after=Y, positions=np.zeros((0, 3))))]),
    ("positions_differ", [("x.npz", npz(before=X, after=Y, positions=np.arange(6).reshape(2, 3)))]),
    ("no_arrays", []),
]


@pytest.mark.parametrize(("why", "files"), WRONG)
def test_arrays_that_cannot_be_diagnosed_have_their_reason(why: str, files: list[tuple[str, bytes]]) -> None:
    with pytest.raises(FileError) as caught:
        read(files, None)
    assert told(caught.value) == why


def test_every_reason_is_tried_here_and_has_a_sentence_of_its_own() -> None:
    tried = {*NOT_NPZ, *(why for why, _ in [*ALSO_NPZ, *NOT_TENSORS, *WRONG])}
    sentences = [TEXTS.raw(f"fault_{why}") for why in tried]
    assert len(set(sentences)) == len(sentences)
    assert tensor_files.LARGEST == 16
