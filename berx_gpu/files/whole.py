"""Any file: read with clear errors, written whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from berx_gpu.errors import DataError

CODECS = {".gz": "gzip", ".zst": "zstd"}


def read_lines(path: str) -> list[str]:
    """Read one id a line; empty lines at the end do not count."""
    lines = [line.removesuffix("\r") for line in guarded(_read_all, path).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    if "" in lines:
        raise DataError(f"{path}: line {lines.index('') + 1} is empty; write one id a line")
    return lines


def check_apart(path: str, inputs: Sequence[str | None], option: str) -> None:
    """Raise when a file to write is one that is read, or written by another option."""
    if any(file and os.path.realpath(path) == os.path.realpath(file) for file in inputs):
        raise DataError(
            f"{option} {path!r} is a file that is read, or written by another option; name another"
        )


def write_with(path: str, write: Callable[[str], Any]) -> None:
    """Have a function write a file, whole or not at all."""
    replaced(path, write)


def write_text(text: str, path: str) -> None:
    """Write a text file, whole or not at all."""
    data = text.encode("utf-8", errors="replace")
    replaced(path, lambda temporary: Path(temporary).write_bytes(data))


def endings(path: str) -> tuple[str, str]:
    """Return the ending that tells the format, and the one that tells the compression."""
    suffixes = [s.lower() for s in Path(path).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in CODECS else ""
    return (suffixes[-1] if suffixes else ""), packed


def read_bytes(path: str) -> bytes:
    """Return the plain bytes of a file."""

    def read(path: str) -> bytes:
        with plain_stream(path) as stream:
            return bytes(stream.read())

    return bytes(guarded(read, path))


def _read_all(path: str) -> str:
    with text_stream(path) as lines:
        return lines.read()


def plain_stream(path: str) -> Any:
    """Return a stream of the plain bytes of a file.

    It is opened here and not by pyarrow, for which file://, s3:// and the like are no file names.
    """
    codec = CODECS.get(endings(path)[1])
    file = pa.PythonFile(open(path, "rb"))  # noqa: SIM115 - closed with the stream
    return pa.CompressedInputStream(file, codec) if codec else file


def text_stream(path: str) -> io.TextIOWrapper:
    """Return a stream of the text of a file, without a byte-order mark."""
    return io.TextIOWrapper(plain_stream(path), encoding="utf-8-sig", newline="")


def guarded(read: Callable[..., Any], path: str, *options: Any) -> Any:
    """Read, and turn what files can do wrong into one clear line."""
    try:
        return read(path, *options)
    except FileNotFoundError as error:
        raise DataError(f"{path or repr(path)}: no such file") from error
    except IsADirectoryError as error:
        raise DataError(f"{path} is a folder; name one file") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from error
    except csv.Error as error:
        raise DataError(f"{path}: {error}; a quote is open or stands alone") from error
    except (pa.ArrowException, EOFError) as error:
        raise DataError(f"{path} cannot be read, it may be damaged or cut off: {error}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path} cannot be read: {error}") from error


def replaced(path: str, write: Callable[[str], Any]) -> None:
    """Write a temporary file beside `path` and move it there only when it is whole."""
    target = os.path.realpath(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".berx-gpu-")
        os.close(handle)
        try:
            write(temporary)
            mode = os.stat(target).st_mode if os.path.exists(target) else 0o666 & ~_umask()
            os.chmod(temporary, mode & 0o7777)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path} cannot be written: {reason}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
