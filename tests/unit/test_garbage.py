"""What stays as long as the process is passed over by collections; garbage never stays."""

import gc
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType

import pytest

from dashboard.garbage import freeze_libraries


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


class Knot:
    """Holds itself, so that only a collection can take it away."""

    def __init__(self) -> None:
        self.me = self


def is_looked_through(one: object) -> bool:
    """Whether a collection visits it; what is frozen is in none of its generations."""
    return any(one is other for other in gc.get_objects())


def test_libraries_are_frozen_and_only_again_when_there_are_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gc.unfreeze()
    monkeypatch.setitem(sys.modules, "some_library", ModuleType("some_library"))
    freeze_libraries()
    assert gc.get_freeze_count() > 10_000  # pytest alone is more

    late = Knot()
    freeze_libraries()
    assert is_looked_through(late)  # nothing was loaded: nothing is added
    monkeypatch.setitem(sys.modules, "another_library", ModuleType("another_library"))
    freeze_libraries()
    assert not is_looked_through(late)


def test_garbage_is_not_frozen_and_what_was_frozen_is_let_go_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    garbage, session = Knot(), Knot()
    seen, lasting = weakref.ref(garbage), weakref.ref(session)
    del garbage
    monkeypatch.setitem(sys.modules, "a_library", ModuleType("a_library"))
    freeze_libraries()
    assert seen() is None

    # A session that was there when it was frozen, and ended afterwards.
    assert lasting() is session
    del session
    gc.collect()
    assert lasting() is not None
    monkeypatch.setitem(sys.modules, "b_library", ModuleType("b_library"))
    freeze_libraries()
    assert lasting() is None
