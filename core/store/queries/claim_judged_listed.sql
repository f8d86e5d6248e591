-- As claim_judged, where the model was asked for faithfulness alone: its list says what is contradicted.
with

newest as (
    select
        position,
        arg_max(
            {'raw': raw, 'detail': detail},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as verdict
    from verdict
    semi join matched using (position)
    where
        run_id = $run_id
        and judge_id = $judge_id
        and metric = 'faithfulness'
        and context_rank is null
    group by position
),

samples as (
    select
        try_cast(split_part(verdict.raw, '/', 1) as integer) as n_supported,
        try_cast(split_part(verdict.raw, '/', 2) as integer) as n_claims,
        len(list_filter(
            json_extract_string(verdict.detail, '$.claims[*].verdict'),
            lambda word: word = 'contradicted'
        ))::integer as n_contradicted
    from newest
)

select n_claims, n_supported, n_contradicted, count(*) as n
from samples
where n_claims > 0 and n_supported is not null and n_contradicted is not null
group by all
order by all
