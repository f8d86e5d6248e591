"""What pages read, cached: keyed by store, run, data version and parameters, never by frames.

The only place with cache decorators; one module per group of pages.
"""

from dashboard.access.ahead import read_ahead
from dashboard.access.claims import load_claims
from dashboard.access.diagnosis import (
    load_context_use,
    load_filter_choices,
    load_judge_options,
    load_matrix,
    load_n_underived,
    load_overview,
    load_retrieval,
    load_settings,
    load_tag_slices,
)
from dashboard.access.figures import figure
from dashboard.access.judging import load_daily, load_n_cut, load_steadiness
from dashboard.access.samples import (
    load_calls,
    load_calls_of,
    load_sample,
    load_sample_alone,
    load_sample_ids,
)
from dashboard.access.store import (
    data_version,
    is_judging,
    load_label_sources,
    load_runs,
    load_saved_filters,
    load_stored_runs,
    ready_store,
    store_messages,
)
from dashboard.access.trust import (
    load_agreement,
    load_criteria,
    load_decisions,
    load_judge_table,
    load_pairs,
    load_ranking,
    load_trust_choices,
)

__all__ = [
    "data_version",
    "figure",
    "is_judging",
    "load_agreement",
    "load_calls",
    "load_calls_of",
    "load_claims",
    "load_context_use",
    "load_criteria",
    "load_daily",
    "load_decisions",
    "load_filter_choices",
    "load_judge_options",
    "load_judge_table",
    "load_label_sources",
    "load_matrix",
    "load_n_cut",
    "load_n_underived",
    "load_overview",
    "load_pairs",
    "load_ranking",
    "load_retrieval",
    "load_runs",
    "load_sample",
    "load_sample_alone",
    "load_sample_ids",
    "load_saved_filters",
    "load_settings",
    "load_steadiness",
    "load_stored_runs",
    "load_tag_slices",
    "load_trust_choices",
    "read_ahead",
    "ready_store",
    "store_messages",
]
