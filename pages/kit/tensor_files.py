"""The arrays in a file that a visitor brings, `.npz` or `.safetensors`: checked before they are read, never unpickled.

It imports no Streamlit, for the worker calls it.
"""

import io
import json
import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray

Array = NDArray[Any]

LARGEST = 16  # megabytes of a file, and of what it holds unpacked
BYTES = LARGEST * 2**20
MEMBERS = 16  # arrays in a file
HIGHEST_RANK = 4
HEADER = 1  # megabytes of JSON before the tensors
NUMPY_HEADER = 10_000  # bytes, numpy's own limit
ZIP_START, ZIP_ENTRY = b"PK\x03\x04", b"PK\x01\x02"
NUMPY_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
WIDTHS = {"F16": 2, "BF16": 2, "F32": 4, "F64": 8}
NUMPY_NAMES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}


class FileError(ValueError):
    """A file or an array that is not taken: `reason` names a sentence of the words, `said` is what it tells."""

    def __init__(self, reason: str, **said: float | str) -> None:
        self.reason, self.said = reason, said
        super().__init__(reason)


def arrays(file: str, data: bytes) -> dict[str, Array]:
    """The arrays in the bytes of `file` by their names, bfloat16 widened to float32. FileError for anything else."""
    ending = PurePath(file).suffix.lower()
    if ending not in (".npz", ".safetensors"):
        raise FileError("ending", ending=ending or "–")
    if len(data) > BYTES:
        raise FileError("large", largest=LARGEST)
    if not data:
        raise FileError("empty")
    return _npz(data) if ending == ".npz" else _safetensors(data)


def _npz(data: bytes) -> dict[str, Array]:
    # Counted in the bytes, since reading a directory of a million entries would cost time and memory itself.
    if data.count(ZIP_ENTRY) > MEMBERS:
        raise FileError("many", most=MEMBERS)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_directory(members)
            for member in members:
                _check_member(archive, member)
            return {_bare(member): _loaded(archive.read(member)) for member in members}
    except FileError:
        raise
    except Exception as error:  # a damaged zip makes zipfile raise nearly anything
        cut = isinstance(error, zipfile.BadZipFile) and ZIP_ENTRY not in data
        raise FileError("damaged" if not cut else "cut" if data.startswith(ZIP_START) else "no_zip") from error


def _bare(member: zipfile.ZipInfo) -> str:
    return member.filename.removesuffix(".npy")


def _check_directory(members: Sequence[zipfile.ZipInfo]) -> None:
    """What the directory of a zip says, before anything of it is unpacked."""
    if not members:
        raise FileError("no_arrays")
    names = [member.filename for member in members]
    unpacked = sum(member.file_size for member in members)
    if unpacked > BYTES:
        raise FileError("bomb", unpacked=math.ceil(unpacked / 2**20), largest=LARGEST)
    for member in members:
        if names.count(member.filename) > 1:
            raise FileError("twice", name=_bare(member))
        if not member.filename.endswith(".npy"):
            raise FileError("no_array", name=member.filename)
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError("packing", name=_bare(member))


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """What an array says of itself, before its values are read."""
    name = _bare(member)
    with archive.open(member) as stream:
        try:
            read_header = NUMPY_READERS[np.lib.format.read_magic(stream)]
            shape, _, dtype = read_header(stream, max_header_size=NUMPY_HEADER)
        except (zipfile.BadZipFile, zlib.error, EOFError):
            raise
        except Exception as error:  # no magic, a header that is no literal, or a type that is none
            raise FileError("no_array", name=member.filename) from error
        held = member.file_size - stream.tell()
    if dtype.hasobject:
        raise FileError("pickled", name=name)
    if dtype.kind not in "fiu" or (dtype.kind == "f" and dtype.itemsize > 8) or dtype.shape:
        raise FileError("dtype", name=name, dtype=str(dtype))
    _check_shape(name, shape, dtype.itemsize, held)


def _check_shape(name: str, shape: Sequence[int], width: int, held: int) -> None:
    if len(shape) > HIGHEST_RANK:
        raise FileError("rank", name=name, rank=len(shape))
    if min(shape, default=0) < 0 or math.prod(shape) * width != held:
        raise FileError("size", name=name, shape=as_text(shape), held=held)


def _loaded(data: bytes) -> Array:
    array = np.load(io.BytesIO(data), allow_pickle=False)
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def _safetensors(data: bytes) -> dict[str, Array]:
    tensors = _header(data)
    begun = int.from_bytes(data[:8], "little") + 8
    spans = sorted(_span(name, tensor, len(data) - begun) for name, tensor in tensors.items())
    at = 0
    for begin, end, name in spans:
        if begin != at:
            raise FileError("overlap", name=name)
        at = end
    if at != len(data) - begun:
        raise FileError("overlap", name=spans[-1][2])
    try:
        found = safetensors.deserialize(data)  # type: ignore[no-untyped-call]
    except safetensors.SafetensorError as error:
        raise FileError("header") from error
    return {name: _values(tensor) for name, tensor in found}


def _header(data: bytes) -> dict[str, Any]:
    """The tensors as the header of a .safetensors file tells them."""
    size = int.from_bytes(data[:8], "little")
    if size > HEADER * 2**20:
        raise FileError("header_long", most=HEADER)
    if len(data) < 8 + size:
        raise FileError("cut")
    try:
        found = json.loads(data[8 : 8 + size].decode(), object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError("header") from error
    if not isinstance(found, dict):
        raise FileError("header")
    found.pop("__metadata__", None)
    if not found:
        raise FileError("no_arrays")
    if len(found) > MEMBERS:
        raise FileError("many", most=MEMBERS)
    return found


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (name, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise FileError("twice", name=name)
    return found


def _span(name: str, tensor: object, room: int) -> tuple[int, int, str]:
    """Where a tensor begins and ends in the `room` bytes behind the header, and its name."""
    told: dict[str, Any] = tensor if isinstance(tensor, dict) else {}
    dtype, shape, offsets = told.get("dtype"), _counts(told.get("shape")), _counts(told.get("data_offsets"))
    if not isinstance(dtype, str) or shape is None or offsets is None or len(offsets) != 2:
        raise FileError("header")
    if dtype not in WIDTHS:
        raise FileError("dtype", name=name, dtype=dtype)
    begin, end = offsets
    if not begin <= end <= room:
        raise FileError("outside", name=name, end=float(end), room=room)
    _check_shape(name, shape, WIDTHS[dtype], end - begin)
    return begin, end, name


def _counts(found: object) -> list[int] | None:
    """`found` as a list of whole numbers from 0, None if it is something else."""
    fits = isinstance(found, list) and all(type(number) is int and 0 <= number < 2**63 for number in found)
    return found if isinstance(found, list) and fits else None


def _values(tensor: dict[str, Any]) -> Array:
    if tensor["dtype"] == "BF16":  # the upper half of a float32
        return (np.frombuffer(tensor["data"], "<u2").astype(np.uint32) << 16).view(np.float32).reshape(tensor["shape"])
    return np.frombuffer(tensor["data"], NUMPY_NAMES[tensor["dtype"]]).reshape(tensor["shape"])


def as_text(shape: Sequence[int]) -> str:
    """A shape as a reader knows it."""
    return str(tuple(map(int, shape)))
