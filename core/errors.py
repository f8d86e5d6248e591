"""Every error that RAG Triage raises on purpose.

RagTriageError
├── BadInputError         a file, an option or a value is wrong (exit code 2)
│   └── NotFoundError     an id or a name that is not in the store
├── StoreBusyError        another process holds the store longer than we wait
├── StoreVersionError     the store was written by a newer version
└── StoreDamagedError     the store cannot be opened
"""


class RagTriageError(Exception):
    """Root of all errors that carry a message for people."""


class BadInputError(RagTriageError):
    """Input that cannot be used; the message names the place and the way out."""


class NotFoundError(BadInputError):
    """A run, sample, metric or file that does not exist."""


class StoreBusyError(RagTriageError):
    """The store stayed locked by another process for longer than the waiting time."""


class StoreVersionError(RagTriageError):
    """The store was written by a newer version than this one."""


class StoreDamagedError(RagTriageError):
    """The store file cannot be opened or is not a store."""
