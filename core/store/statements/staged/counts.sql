with

samples as (
    select run_id, count(*) as n_samples, bool_or(regexp_matches(answer, '[^\s\p{Z}]')) as has_answers
    from sample
    group by run_id
),

contexts as (
    select run_id, count(*) as n_contexts from context group by run_id
),

golds as (
    select run_id, count(*) as n_gold from gold group by run_id
)

select
    run_id, n_samples, coalesce(n_contexts, 0) as n_contexts, coalesce(n_gold, 0) as n_gold, has_answers
from samples
left join contexts using (run_id)
left join golds using (run_id)
