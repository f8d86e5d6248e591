"""Where files that come with the product are: in the checkout, or installed beside it."""

import sys
from pathlib import Path

from core.errors import NotFoundError

_CHECKOUT = Path(__file__).resolve().parent.parent
_INSTALLED = Path(sys.prefix) / "share" / "rag-triage"


def resource(*parts: str) -> Path:
    """Path of a shipped file or folder, such as ``resource("data", "demo", "demo.jsonl")``.

    Raises:
        NotFoundError: it is in neither place.
    """
    for root in (_CHECKOUT, _INSTALLED):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise NotFoundError(f"{'/'.join(parts)} is missing: reinstall RAG Triage.")
