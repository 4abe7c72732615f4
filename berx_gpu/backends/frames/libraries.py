"""The libraries that the frame code runs on: cuDF and CuPy, or pandas and NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Libraries:
    """A data frame library, the array library beside it, and how much memory they may use.

    A part of a key may stay on the host when a device has no room for all of it: `take` leaves its
    rows there, `here` brings them where the libraries work. `hashed` makes an array of uint64 from
    a part, the same number for the same id.
    """

    frames: Any
    xp: Any
    take: Any
    to_host: Any
    here: Any
    hashed: Callable[[Any], Any]
    free: Callable[[], int]
