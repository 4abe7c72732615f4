"""Ids as the kernels find them: the addresses of numbers, or of texts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.encoding.look_alikes import count_look_alikes
from berx_gpu.kernels import match_cpu


class Keys(NamedTuple):
    """Ids for kernels: numbers as low words; texts as bytes and starts, and words once moved."""

    lo: Any
    hi: Any
    data: Any
    starts: Any
    hash_mask: Any

    @property
    def is_text(self) -> bool:
        """Whether the ids are texts."""
        return self.starts is not None

    @property
    def words_at(self) -> tuple[int, int | None]:
        """The addresses of low and of high words: None for numbers, 0 for texts not moved yet."""
        return address(self.lo), address(self.hi) if self.is_text else None

    @property
    def texts_at(self) -> tuple[int, int]:
        """The addresses of bytes and of starts, 0 for numbers."""
        return address(self.data), address(self.starts)

    @property
    def source(self) -> tuple[Any, ...]:
        """The six numbers by which a kernel finds a key."""
        size = self.data.size if self.is_text else 0
        return (*self.words_at, *self.texts_at, size, self.hash_mask)

    def moved(self, n: int) -> Keys:
        """Return room for the words of n keys, beside the same bytes."""
        hi = np.empty(n, np.uint64) if self.is_text else None
        return self._replace(lo=np.empty(n, np.uint64), hi=hi)


def keys_of(machine: Machine, part: Any) -> Keys:
    """Return the keys of one id column, without a pass over it."""
    if isinstance(part, np.ndarray):
        return Keys(np.ascontiguousarray(part), None, None, None, machine.hash_mask)
    data, starts = _texts(part)
    return Keys(None, None, data, starts, machine.hash_mask)


def look_alikes(machine: Machine, pred: Any, truth: Any) -> int:
    """Count as `count_look_alikes` does, which is asked only when an id could change at all."""
    few = max(len(pred), len(truth)) <= machine.small_rows
    if few or any(_odd(machine, t) for t in (pred, truth)):
        return count_look_alikes(pred, truth)
    return 0


def _odd(machine: Machine, part: Any) -> bool:
    data, starts = _texts(part)
    text = (address(data), address(starts))
    spans = machine.row_spans(len(starts) - 1)
    return any(machine.run(match_cpu.any_odd, [(*text, *span) for span in spans]))


def _texts(part: Any) -> tuple[Any, Any]:
    """Return the bytes and the starts of a pandas text array."""
    array = pa.array(part)
    if not len(array):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else pa.concat_arrays(array.chunks)
    _, offsets, values = array.buffers()
    starts = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(b"" if values is None else values, np.uint8), starts


def address(array: Any) -> int:
    """Return where an array begins in memory, 0 for none."""
    return 0 if array is None else int(array.__array_interface__["data"][0])
