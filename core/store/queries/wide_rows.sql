-- Makes the temporary table wide_rows; the store's own wide rows come from it, and so do those of
-- any other judge selection.
-- One row per touched sample for a judge selection ($axes, $metrics, $judge_ids, $aggregates in step).
-- All touched positions lie from $first to $last, which lets a scan pass over the other samples.
create or replace temp table wide_rows as
with

choices as (
    select
        unnest($axes::varchar[]) as axis,
        unnest($metrics::varchar[]) as metric,
        unnest($judge_ids::varchar[]) as judge_id,
        unnest($aggregates::varchar[]) as aggregate,
        1 << generate_subscripts($axes::varchar[], 1) as axis_bit
),

chosen as (
    select position, axis, axis_bit, aggregate, repeat, verdict_no, status, value, cause, detail
    from verdict
    inner join choices using (metric, judge_id)
    inner join touched using (position)
    where run_id = $run_id and position between $first and $last and context_rank is null
),

-- Nearly every sample has one verdict per axis, which needs no aggregation.
crowded as (
    select position
    from chosen
    group by position
    having count(*) > bit_count(bit_or(axis_bit))
),

-- A later error does not displace a settled verdict of the same judge, metric and repeat.
newest as (
    select
        position,
        axis,
        aggregate,
        repeat,
        arg_max(
            {'status': status, 'value': value, 'cause': cause, 'detail': detail},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as verdict
    from chosen
    semi join crowded using (position)
    group by all
),

counted as (
    select
        position,
        axis,
        aggregate,
        count(*) as n_repeats,
        count(*) filter (verdict.status = 'value') as n_valid,
        count(*) filter (verdict.status = 'not_applicable') as n_not_applicable,
        avg(verdict.value) as mean,
        quantile_disc(verdict.value, 0.5) as lower_median,
        histogram(verdict.value) as votes,
        count(distinct verdict.value) > 1 as is_split,
        max(verdict.cause) filter (verdict.status = 'value') as value_cause,
        max(verdict.cause) filter (verdict.status = 'not_applicable') as not_applicable_cause,
        max(verdict.cause) filter (verdict.status = 'error') as error_cause,
        arg_min(verdict.detail, repeat) as detail
    from newest
    group by all
    union all
    select
        position,
        axis,
        aggregate,
        1,
        (status = 'value')::bigint,
        (status = 'not_applicable')::bigint,
        value,
        value,
        null,
        false,
        case when status = 'value' then cause end,
        case when status = 'not_applicable' then cause end,
        case when status = 'error' then cause end,
        detail
    from chosen
    anti join crowded using (position)
),

-- At least half of the repeats must be valid; a tie of the most frequent votes settles nothing.
scored as (
    select
        position,
        axis,
        case
            when n_valid = 0 or n_valid < ceil(n_repeats / 2) then null
            when aggregate = 'mean' then mean
            when aggregate = 'median' then lower_median
            when votes is null then mean
            when len(list_filter(map_values(votes), lambda n: n = list_max(map_values(votes)))) > 1 then null
            else map_keys(votes)[list_position(map_values(votes), list_max(map_values(votes)))]
        end as score,
        n_valid > 0 and n_valid >= ceil(n_repeats / 2) as is_valid,
        is_split,
        n_not_applicable > 0 and error_cause is null as is_not_applicable,
        value_cause,
        not_applicable_cause,
        error_cause,
        detail
    from counted
),

stated as (
    select
        *,
        case when score is not null then 'value' when is_not_applicable and not is_valid then 'not_applicable' else 'error' end as status,
        case
            when score is not null then value_cause
            when is_valid then 'inconsistent'
            when is_not_applicable then not_applicable_cause
            else error_cause
        end as cause
    from scored
),

by_sample as (
    select
        position,
        max(score) filter (axis = 'context_relevance') as context_relevance,
        max(status) filter (axis = 'context_relevance') as context_relevance_status,
        max(cause) filter (axis = 'context_relevance') as context_relevance_cause,
        max(score) filter (axis = 'groundedness') as groundedness,
        max(status) filter (axis = 'groundedness') as groundedness_status,
        max(cause) filter (axis = 'groundedness') as groundedness_cause,
        max(score) filter (axis = 'answer_relevance') as answer_relevance,
        max(status) filter (axis = 'answer_relevance') as answer_relevance_status,
        max(cause) filter (axis = 'answer_relevance') as answer_relevance_cause,
        max(score) filter (axis = 'adherence') as adherence,
        max(status) filter (axis = 'adherence') as adherence_status,
        max(cause) filter (axis = 'adherence') as adherence_cause,
        max(score) filter (axis = 'refusal') as refusal,
        max(status) filter (axis = 'refusal') as refusal_status,
        max(cause) filter (axis = 'refusal') as refusal_cause,
        max(score) filter (axis = 'correctness') as correctness,
        max(status) filter (axis = 'correctness') as correctness_status,
        max(cause) filter (axis = 'correctness') as correctness_cause,
        any_value(try_cast(detail -> '$.contexts[*].score' as double[])) filter (axis = 'context_relevance') as context_scores,
        coalesce(bool_or(try_cast(detail ->> '$.partial' as boolean)) filter (axis = 'context_relevance'), false) as is_partial,
        coalesce(bool_or(try_cast(detail ->> '$.partial' as boolean)) filter (axis = 'refusal'), false) as is_partial_refusal,
        coalesce(bool_or(is_split) filter (axis in ('context_relevance', 'groundedness', 'answer_relevance')), false) as is_unstable
    from stated
    group by position
),

roles as (
    select
        position,
        max(value) filter (criterion = 'correct') as label_correct,
        max(value) filter (criterion = 'refused') as label_refused,
        max(value) filter (criterion = 'answerable') as label_answerable
    from label_current
    inner join touched using (position)
    where run_id = $run_id and position between $first and $last
        and criterion in ('correct', 'refused', 'answerable')
    group by position
),

context_counts as (
    select position, count(*) as n_contexts
    from context
    inner join touched using (position)
    where run_id = $run_id and position between $first and $last
    group by position
),

gold_counts as (
    select position, count(*) as n_gold
    from gold
    inner join touched using (position)
    where run_id = $run_id and position between $first and $last
    group by position
),

-- Without a row the hits have not been worked out yet, or they are undefined: both are NULL.
evidence as (
    select
        position,
        len(grades)::integer as n_pieces,
        len(list_distinct(flatten(held)))::integer as n_pieces_held,
        basis = 'reference' or list_contains(stages, 'judge') as is_proxy_hit
    from sample_hits_now
    inner join touched using (position)
    where run_id = $run_id and position between $first and $last and basis is not null
),

-- A person's label comes before these and a judge after them. Other words do not show that an answer
-- is wrong; another letter does.
text_verdicts as (
    select
        position,
        metric,
        arg_max(
            {
                'value': value,
                'settles': case when metric = 'list_component_f1' and value > 0 then detail ->> '$.settles' end
            },
            verdict_no
        ) as verdict
    from verdict
    inner join touched using (position)
    where run_id = $run_id and position between $first and $last
        and metric in ('choice_match', 'exact_match', 'list_component_f1')
        and context_rank is null and status <> 'error'
        and judge_id in (select judge_id from judge where kind = 'offline' and model = 'overlap-v1')
    group by position, metric
),

texts as (
    select
        position,
        max(verdict.value) filter (metric = 'choice_match') as choice,
        bool_or(coalesce(verdict.value = 1, false)) filter (metric = 'exact_match') as is_exact,
        bool_or(coalesce(verdict.settles = 'true', false)) filter (metric = 'list_component_f1') as is_list
    from text_verdicts
    group by position
),

final as (
    select
        sample.run_id,
        sample.position,
        sample.sample_id,
        context_relevance,
        case when is_nothing_retrieved then 'not_applicable' else context_relevance_status end as context_relevance_status,
        case when is_nothing_retrieved then 'no_contexts' else context_relevance_cause end as context_relevance_cause,
        groundedness, groundedness_status, groundedness_cause,
        answer_relevance, answer_relevance_status, answer_relevance_cause,
        adherence, adherence_status, adherence_cause,
        refusal, refusal_status, refusal_cause,
        correctness, correctness_status, correctness_cause,
        context_scores,
        coalesce(is_partial, false) as is_partial,
        coalesce(is_partial_refusal, false) as is_partial_refusal,
        coalesce(is_unstable, false) as is_unstable,
        -- A role label counts only as a plain yes or no; any other number is no answer to it.
        case when label_correct in (0, 1) then label_correct::tinyint end as label_correct,
        case when label_refused in (0, 1) then label_refused::tinyint end as label_refused,
        case when label_answerable in (0, 1) then label_answerable::tinyint end as label_answerable,
        coalesce(n_contexts, 0)::integer as n_contexts,
        coalesce(n_gold, 0)::integer as n_gold,
        n_pieces,
        n_pieces_held,
        coalesce(is_proxy_hit, false) as is_proxy_hit,
        sample.latency,
        sample.cost,
        case when choice is not null then choice::tinyint when is_exact or is_list then 1::tinyint end as text_correct,
        case
            when choice is not null then 'choice' when is_exact then 'exact' when is_list then 'list'
        end as text_source
    from sample
    inner join touched using (position)
    inner join run on run.run_id = sample.run_id
    left join by_sample using (position)
    left join roles using (position)
    left join context_counts using (position)
    left join gold_counts using (position)
    left join evidence using (position)
    left join texts using (position)
    -- Relevance is low by rule where a run that has contexts retrieved none; a score that is there stands.
    cross join lateral (
        select
            run.has_contexts and sample.is_contexts_recorded and n_contexts is null
                and context_relevance is null as is_nothing_retrieved
    )
    where sample.run_id = $run_id and sample.position between $first and $last
)

select * from final
