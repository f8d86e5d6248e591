"""What is read about judging: a run by day, judges against themselves, texts that were cut."""

from core.store import samples
from core.workflows import daily, review, steadiness
from dashboard.access.store import kept, ready_store


@kept(16)
def load_daily(run_id: str, view: review.View) -> daily.Daily:
    """The samples of a run by day."""
    return daily.daily(ready_store(), run_id, view)


@kept(16)
def load_steadiness(run_id: str, view: review.View) -> tuple[steadiness.SteadyRow, ...]:
    """Judges that judged samples of a run more than once."""
    return steadiness.steadiness(ready_store(), run_id, view)


@kept(32)
def load_n_cut(run_id: str) -> int:
    """Samples of a run with a text that was cut before the file was saved."""
    with ready_store().reading() as connection:
        return len(samples.cut_positions(connection, run_id))
