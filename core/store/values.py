"""Values on their way into the store."""

import json
from collections.abc import Mapping
from typing import Any

from core.records import clean_value


def json_text(value: Mapping[str, Any] | None) -> str | None:
    """Strict JSON text with clean strings; the caller guarantees that it holds no NaN."""
    if value is None:
        return None
    return json.dumps(clean_value(value), ensure_ascii=False, allow_nan=False)
