"""Zip archives that somebody sends, opened with suspicion: all of it is looked at before any of it counts."""

from __future__ import annotations

import io
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from console.errors import Invalid
from console.saying import phrase

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
OTHERS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
    b"\x28\xb5\x2f\xfd": "zstd",
}
MEMBERS_MOST = 5_000
LISTING_MOST = 1_000_000  # bytes of the archive's own table
MEMBER_MOST = 8_000_000  # bytes of one file, unpacked
TOTAL_MOST = 32_000_000  # bytes of all of them
RATIO_MOST = 200  # unpacked to packed; prose reaches 10, tables 50
SMALL = 10_000  # bytes, below which the ratio says nothing
END = struct.Struct("<4s4H2LH")


@dataclass(frozen=True, slots=True)
class File:
    """One file: its name, with / between folders, and what is in it."""

    name: str
    data: bytes


def is_archive(data: bytes) -> bool:
    """Whether this is a zip. Raises Invalid for archives of other kinds."""
    for magic, name in OTHERS.items():
        if data.startswith(magic):
            raise _refused(phrase("This is packed with %(name)s. Unpack it, or pack it as a zip.", name=name))
    return data.startswith(MAGIC)


def opened(data: bytes, endings: tuple[str, ...]) -> tuple[list[File], list[str]]:
    """The files whose names end so, and the names of the others, which stay packed. Raises Invalid."""
    with _archive(data) as archive:
        members = _checked(archive.infolist())
        wanted = {name: one for name, one in members.items() if name.lower().endswith(endings) and not _aside(name)}
        files = [File(name, _read(archive, one)) for name, one in sorted(wanted.items())]
    return files, sorted(members.keys() - wanted.keys())


def names_in(data: bytes) -> list[str]:
    """The names of the files. Raises Invalid."""
    with _archive(data) as archive:
        return sorted(name for name in _checked(archive.infolist()) if not _aside(name))


@contextmanager
def _archive(data: bytes) -> Iterator[zipfile.ZipFile]:
    """The archive; what the library cannot make sense of is refused."""
    _check_end(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, RuntimeError, OSError):
        raise _refused(phrase("The archive is damaged. Pack it again.")) from None
    except (UnicodeError, ValueError):
        raise _refused(phrase("The archive names its files in a way that cannot be read. Pack it again.")) from None


def _refused(text: str) -> Invalid:
    return Invalid.field("file", text)


def _check_end(data: bytes) -> None:
    """How long the archive's table says it is, before it is read at all."""
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - END.size - 0xFFFF))
    if at < 0 or at + END.size > len(data):
        raise _refused(phrase("The archive is cut off. Pack it again, or send it once more."))
    _, _, _, _, count, size, _, _ = END.unpack_from(data, at)
    if count > MEMBERS_MOST or size > LISTING_MOST or data[max(0, at - 20) : at].startswith(b"PK\x06\x07"):
        raise _refused(phrase("The archive holds more than %(most)s files. Part it.", most=f"{MEMBERS_MOST:,}"))


def _checked(members: Iterable[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The files by name, none of which may surprise anybody. Raises Invalid."""
    found: dict[str, zipfile.ZipInfo] = {}
    folded: set[str] = set()
    total = 0
    for number, one in enumerate(members, 1):
        name = _name(one)
        if number > MEMBERS_MOST:
            raise _refused(phrase("The archive holds more than %(most)s files. Part it.", most=f"{MEMBERS_MOST:,}"))
        if one.is_dir():
            continue
        _check(one, name)
        total += one.file_size
        same = unicodedata.normalize("NFC", name).casefold()
        if same in folded:
            raise _refused(
                phrase("The archive holds two files with the name %(name)s. Keep one of them.", name=name[:100])
            )
        if total > TOTAL_MOST:
            raise _refused(
                phrase(
                    "The archive is larger than %(most)s bytes when it is unpacked. Part it.", most=f"{TOTAL_MOST:,}"
                )
            )
        folded.add(same)
        found[name] = one
    return found


def _name(one: zipfile.ZipInfo) -> str:
    """The name as whoever packed it wrote it: marked as UTF-8, or UTF-8 without the mark. Raises Invalid."""
    name = one.orig_filename
    if not one.flag_bits & 0x800 and not name.isascii():
        try:
            name = name.encode("cp437").decode()
        except UnicodeError:
            raise _refused(phrase("A name in the archive is not UTF-8. Pack it again with names in UTF-8.")) from None
    name = name.replace("\\", "/")
    shown = name[:100] if name.isprintable() else repr(name[:100])
    if "\0" in name or not name.isprintable() or not name:
        raise _refused(
            phrase("The archive holds a file whose name cannot be written: %(name)s. Rename it.", name=shown)
        )
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        raise _refused(
            phrase(
                "The archive holds a file that would lie outside of it: %(name)s. Pack it again without.", name=shown
            )
        )
    return name


def _check(one: zipfile.ZipInfo, name: str) -> None:
    kind = stat.S_IFMT(one.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise _refused(phrase("%(name)s is a link, not a file. Pack what it leads to.", name=name[:100]))
    if one.flag_bits & 0x1:
        raise _refused(phrase("%(name)s is locked with a password. Pack it without.", name=name[:100]))
    if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _refused(phrase("%(name)s is packed in an uncommon way. Pack it as a plain zip.", name=name[:100]))
    if one.file_size > MEMBER_MOST:
        raise _refused(
            phrase("%(name)s is larger than %(most)s bytes. Part it.", name=name[:100], most=f"{MEMBER_MOST:,}")
        )
    if one.file_size > SMALL and one.file_size > RATIO_MOST * max(1, one.compress_size):
        raise _refused(
            phrase(
                "%(name)s unpacks to more than %(most)s times its size, as no text does.",
                name=name[:100],
                most=RATIO_MOST,
            )
        )


def _aside(name: str) -> bool:
    """What file managers and editors leave beside the files of a person."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def _read(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> bytes:
    """No more than it said it is; the library compares the sum of what was read with the one in the archive."""
    with archive.open(one) as file:
        return file.read(one.file_size)
