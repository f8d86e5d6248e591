"""Which parameters a model accepts: tried with real requests, remembered by what worked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.judge.contracts import Schema
from core.judge.settings import LlmSettings

_FORMATS = ("json_schema", "json_object", "plain")
_DROPPABLE = ("temperature", "seed", "max_tokens")


@dataclass(frozen=True, slots=True)
class Form:
    """How requests are put: the format asked for, and parameters that are left out.

    ``json_schema`` asks for the contract's schema, ``json_object`` for any JSON, ``plain`` for
    nothing beyond what the prompt says.
    """

    format: str = "json_schema"
    dropped: frozenset[str] = frozenset()

    def parameters(self, settings: LlmSettings, name: str, schema: Schema) -> dict[str, Any]:
        """Parameters of a request in this form."""
        found: dict[str, Any] = {"max_tokens": settings.max_tokens}
        if settings.temperature is not None:
            found["temperature"] = settings.temperature
        if settings.seed is not None:
            found["seed"] = settings.seed
        for parameter in self.dropped:
            if found.pop(parameter, None) is not None and parameter == "max_tokens":
                found["max_completion_tokens"] = settings.max_tokens
        if self.format == "json_schema":
            found["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": name, "schema": dict(schema), "strict": True},
            }
        elif self.format == "json_object":
            found["response_format"] = {"type": "json_object"}
        return found


def next_form(form: Form, sent: Mapping[str, Any], message: str) -> Form | None:
    """What to try after a request was refused: without what the refusal names, else plainer.

    >>> next_form(Form(), {"temperature": 0}, "temperature is not supported").dropped
    frozenset({'temperature'})
    >>> next_form(Form(), {}, "Bad request").format
    'json_object'
    >>> next_form(Form("plain"), {}, "Bad request") is None
    True
    """
    for parameter in _DROPPABLE:
        if parameter in sent and re.search(rf"\b{parameter}\b", message, re.IGNORECASE):
            return replace(form, dropped=form.dropped | {parameter})
    place = _FORMATS.index(form.format)
    return replace(form, format=_FORMATS[place + 1]) if place + 1 < len(_FORMATS) else None


class FormMemory:
    """The form that has worked for a model, kept as long as the process lives."""

    _known: dict[tuple[str, str | None], Form] = {}  # noqa: RUF012 - shared on purpose

    def __init__(self, key: tuple[str, str | None]) -> None:
        self._key = key

    @classmethod
    def of(cls, settings: LlmSettings) -> "FormMemory":
        """The memory of this model at this address."""
        return cls((settings.model, settings.api_base))

    @property
    def form(self) -> Form:
        """The form to begin with."""
        return self._known.get(self._key, Form())

    def adopt(self, form: Form) -> None:
        """A request in this form has worked."""
        if form != self.form and self._is_plainer(form):
            self._known[self._key] = form

    def _is_plainer(self, form: Form) -> bool:
        # Requests run side by side: one that was sent before the rest was learned forgets nothing.
        known = self.form
        return _FORMATS.index(form.format) >= _FORMATS.index(known.format) and (
            form.dropped >= known.dropped
        )
