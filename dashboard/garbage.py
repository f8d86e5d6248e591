"""Keeping libraries out of the garbage collection that follows each run of the script."""

import gc
import sys

_n_frozen = 0


def freeze_libraries() -> None:
    """Freeze what is there now if modules were loaded since the last time.

    Streamlit collects garbage behind each run, while what the run has drawn still waits to be
    sent. To look through the libraries (some hundred thousand objects that stay as long as the
    process) takes longer than most pages take to run; frozen, they are passed over. What is garbage
    by then is collected first, also of what was frozen before, so that none of it stays.
    """
    global _n_frozen
    n_modules = len(sys.modules)
    if n_modules != _n_frozen:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _n_frozen = n_modules
