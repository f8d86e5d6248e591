"""Values on their way into the store."""

import json
from collections.abc import Mapping
from typing import Any


def json_text(value: Mapping[str, Any] | None) -> str | None:
    """Strict JSON text; the caller guarantees that it holds no NaN."""
    return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)
