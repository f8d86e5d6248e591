-- Claims of the matched samples as a model judged them: supported and all of them stand in raw as
-- "2/3", the contradicted ones follow from the share that is not. Equal samples counted together.
with

newest as (
    select
        metric,
        position,
        arg_max(
            {'value': value, 'raw': raw},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as verdict
    from verdict
    semi join matched using (position)
    where
        run_id = $run_id
        and judge_id = $judge_id
        and metric in ('faithfulness', 'faithfulness_contradiction')
        and context_rank is null
    group by metric, position
),

samples as (
    select
        position,
        max(try_cast(split_part(verdict.raw, '/', 1) as integer))
            filter (metric = 'faithfulness') as n_supported,
        max(try_cast(split_part(verdict.raw, '/', 2) as integer))
            filter (metric = 'faithfulness') as n_claims,
        max(verdict.value) filter (metric = 'faithfulness_contradiction') as not_contradicted
    from newest
    group by position
)

select
    n_claims,
    n_supported,
    round((1 - not_contradicted) * n_claims)::integer as n_contradicted,
    count(*) as n
from samples
where n_claims > 0 and n_supported is not null and not_contradicted is not null
group by all
order by all
