"""Identity of judges: the same spec has the same id in every store."""

import hashlib
import json
from typing import Any

from core.model import JudgeKind, JudgeSpec

#: Judge of plain scores of a file that does not say who gave them.
FILE_JUDGE = JudgeSpec(kind=JudgeKind.IMPORTED, model="file")


def _params(spec: JudgeSpec) -> str:
    return json.dumps(dict(spec.params), ensure_ascii=False, sort_keys=True, allow_nan=False)


def judge_id(spec: JudgeSpec) -> str:
    """The first 12 hex digits of the hash over everything that defines the judge."""
    parts = (
        spec.kind.value,
        spec.model,
        spec.prompt_id or "",
        spec.prompt_sha256 or "",
        _params(spec),
        spec.definition_version,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def judge_row(spec: JudgeSpec) -> tuple[Any, ...]:
    """A row of the table ``judge``."""
    return (
        judge_id(spec),
        spec.kind.value,
        spec.model,
        spec.prompt_id,
        spec.prompt_sha256,
        _params(spec),
        spec.definition_version,
    )
