"""Ctrl-C while a command works on something that can be gone on with."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from core.commands.common import say


class Stop:
    """Whether a person has asked to stop."""

    def __init__(self) -> None:
        self.is_asked = False

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Note the wish; a second one ends the process in the usual way."""
        self.is_asked = True
        if sys.stderr.isatty():
            say("\nStopping. What is under way is saved first; Ctrl-C again ends it at once.")
        signal.signal(number, signal.default_int_handler)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Take the first Ctrl-C for a wish to stop soon, so that what is under way is saved."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before: Any = signal.signal(signal.SIGINT, stop.ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
