-- Ids are text from end to end; position counts the samples of a run from 0 and is what look-ups use.
-- No keys and no enums, so that the same tables also live inside DuckLake: the writer checks keys.

create table run (
    run_id varchar not null,
    data_version bigint not null,
    name varchar not null,
    dataset varchar,
    tool varchar,
    tool_version varchar,
    created_at timestamp,
    imported_at timestamp not null,
    file_name varchar,
    file_sha256 varchar,
    n_samples bigint not null,
    has_contexts boolean not null,
    has_answers boolean not null,
    config json,
    note varchar,
    check (data_version >= 1),
    check (n_samples >= 0)
);

create table sample (
    run_id varchar not null,
    position bigint not null,
    sample_id varchar not null,
    is_generated_id boolean not null,
    source_row bigint,
    question varchar not null,
    answer varchar not null,
    reference_texts varchar[] not null,
    is_contexts_recorded boolean not null,
    history json,
    latency double,
    cost double,
    error varchar,
    extra json,
    check (latency is null or isfinite(latency)),
    check (cost is null or isfinite(cost))
);

create table tag (
    run_id varchar not null,
    position bigint not null,
    name varchar not null,
    value varchar not null
);

create table context (
    run_id varchar not null,
    position bigint not null,
    rank integer not null,
    doc_id varchar,
    text varchar,
    score double,
    metadata json,
    check (rank >= 1),
    check (score is null or isfinite(score))
);

create table gold (
    run_id varchar not null,
    position bigint not null,
    n integer not null,
    doc_id varchar,
    text varchar,
    grade double,
    gold_group varchar,
    check (doc_id is not null or text is not null),
    check (grade is null or isfinite(grade))
);

create table judge (
    judge_id varchar not null,
    kind varchar not null,
    model varchar not null,
    prompt_id varchar,
    prompt_sha256 varchar,
    params json not null,
    definition_version varchar not null,
    check (kind in ('imported', 'offline', 'llm'))
);

-- Append-only. verdict_no rises within a run, so that "newest" never depends on a clock.
create table verdict (
    run_id varchar not null,
    verdict_no bigint not null,
    position bigint not null,
    context_rank integer,
    metric varchar not null,
    repeat integer not null,
    judge_id varchar not null,
    status varchar not null,
    value double,
    cause varchar,
    reasoning varchar,
    detail json,
    raw varchar,
    latency double,
    cost double,
    tokens bigint,
    judged_at timestamp not null,
    check (status in ('value', 'not_applicable', 'error')),
    check ((status = 'value') = (value is not null)),
    check (value is null or isfinite(value)),
    check (status = 'value' or cause is not null)
);

-- One row per request to a judge model; n counts the requests behind one verdict from 1. A request
-- with the same hash and no error may be answered from here instead of being sent again.
create table call (
    run_id varchar not null,
    verdict_no bigint not null,
    n integer not null,
    step varchar not null,
    context_rank integer,
    prompt varchar not null,
    reply varchar,
    finish_reason varchar,
    error_kind varchar,
    error varchar,
    is_cached boolean not null,
    request_sha256 varchar not null,
    latency double,
    cost double,
    tokens_in bigint,
    tokens_out bigint,
    settings json not null,
    called_at timestamp not null,
    check (latency is null or isfinite(latency)),
    check (cost is null or isfinite(cost))
);

-- Append-only: a later label of the same rater supersedes, nothing is overwritten.
create table label (
    run_id varchar not null,
    label_no bigint not null,
    position bigint not null,
    context_rank integer,
    criterion varchar not null,
    rater varchar not null,
    value double,
    category varchar,
    note varchar,
    tags varchar[],
    rubric varchar,
    is_blind boolean not null,
    labelled_at timestamp not null,
    check (value is null or isfinite(value))
);

-- Scale of each metric of a run as its file declares it or as it was inferred; cut is the file's own.
create table run_metric (
    run_id varchar not null,
    metric varchar not null,
    lo double,
    hi double,
    direction varchar not null,
    cut double,
    is_declared boolean not null,
    check (direction in ('higher', 'lower')),
    check (lo is null or isfinite(lo)),
    check (hi is null or isfinite(hi)),
    check (cut is null or isfinite(cut))
);

-- Append-only; the newest row of a metric and judge counts, a NULL cut takes the choice back.
create table threshold (
    run_id varchar not null,
    threshold_no bigint not null,
    metric varchar not null,
    judge_id varchar not null,
    cut double,
    set_at timestamp not null,
    check (cut is null or isfinite(cut))
);

-- Append-only; the newest row of an axis counts, a NULL judge takes the choice back.
create table selection (
    run_id varchar not null,
    selection_no bigint not null,
    axis varchar not null,
    metric varchar,
    judge_id varchar,
    chosen_at timestamp not null
);

create table saved_filter (
    name varchar not null,
    query varchar not null,
    saved_at timestamp not null
);

create table audit (
    audit_no bigint not null,
    logged_at timestamp not null,
    who varchar not null,
    action varchar not null,
    run_id varchar,
    sample_id varchar,
    old_value varchar,
    new_value varchar,
    reason varchar
);

create table import (
    import_id varchar not null,
    file_name varchar not null,
    file_sha256 varchar not null,
    format varchar not null,
    imported_at timestamp not null,
    run_ids varchar[] not null
);

create table import_problem (
    import_id varchar not null,
    row_no bigint,
    kind varchar not null,
    message varchar not null,
    n bigint not null,
    check (kind in ('problem', 'notice'))
);

-- Derived from context and gold: which contexts hold which pieces of evidence; made once per sample.
-- The lists have one entry per context in rank order, grades one per piece.
create table sample_hits (
    run_id varchar not null,
    position bigint not null,
    basis varchar,
    cause varchar,
    stages varchar[] not null,
    held integer[][] not null,
    grades double[] not null,
    repeats boolean[] not null,
    n_left_out integer not null,
    check ((basis is null) = (cause is not null))
);

-- Derived from context: token Jaccard of the texts of two ranks of a sample.
create table redundancy (
    run_id varchar not null,
    position bigint not null,
    rank_a integer not null,
    rank_b integer not null,
    jaccard double not null,
    check (rank_a < rank_b),
    check (jaccard between 0 and 1)
);

-- Derived from verdict, label, context and gold for the judge selection in wide_selection; may be rebuilt.
create table wide (
    run_id varchar not null,
    position bigint not null,
    sample_id varchar not null,
    context_relevance double,
    context_relevance_status varchar,
    context_relevance_cause varchar,
    groundedness double,
    groundedness_status varchar,
    groundedness_cause varchar,
    answer_relevance double,
    answer_relevance_status varchar,
    answer_relevance_cause varchar,
    adherence double,
    adherence_status varchar,
    adherence_cause varchar,
    refusal double,
    refusal_status varchar,
    refusal_cause varchar,
    correctness double,
    correctness_status varchar,
    correctness_cause varchar,
    context_scores double[],
    is_partial boolean not null,
    is_partial_refusal boolean not null,
    is_unstable boolean not null,
    label_correct tinyint,
    label_refused tinyint,
    label_answerable tinyint,
    n_contexts integer not null,
    n_gold integer not null,
    n_pieces integer,
    n_pieces_held integer,
    latency double,
    cost double
);

create table wide_selection (
    run_id varchar not null,
    axis varchar not null,
    metric varchar not null,
    judge_id varchar not null,
    aggregate varchar not null,
    check (aggregate in ('median', 'majority', 'mean'))
);
-- One label per sample and criterion: the latest of each rater, then the majority; a tie is unknown.
create view label_current as
with

latest as (
    select
        run_id,
        position,
        criterion,
        rater,
        arg_max({'value': value, 'category': category}, label_no) as label
    from label
    where context_rank is null
    group by run_id, position, criterion, rater
),

-- "yes" and 1 are one vote: where a label has a number, that counts.
votes as (
    select
        run_id,
        position,
        criterion,
        label.value as value,
        case when label.value is null then label.category end as kind,
        max(label.category) as category,
        count(*) as n
    from latest
    group by run_id, position, criterion, label.value, kind
),

ranked as (
    select
        run_id,
        position,
        criterion,
        arg_max({'value': value, 'category': category, 'n': n}, n, 2) as first_two
    from votes
    group by run_id, position, criterion
),

decided as (
    select
        run_id,
        position,
        criterion,
        first_two[1] as winner,
        len(first_two) = 1 or first_two[1].n > first_two[2].n as is_clear
    from ranked
)

select
    run_id,
    position,
    criterion,
    case when is_clear then winner.value end as value,
    case when is_clear then winner.category end as category
from decided;
