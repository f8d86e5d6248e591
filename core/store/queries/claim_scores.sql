-- States of some metrics of one judge over the matched samples, equal values counted together. A
-- later error does not displace a settled verdict.
with

newest as (
    select
        metric,
        position,
        arg_max(
            {'status': status, 'value': value},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as verdict
    from verdict
    semi join matched using (position)
    where
        run_id = $run_id
        and judge_id = $judge_id
        and list_contains($metrics::varchar[], metric)
        and context_rank is null
    group by metric, position
)

select metric, verdict.status as status, verdict.value as value, count(*) as n
from newest
group by all
order by all
