-- Per position, metric and repeat of one judge and metric each ($judge_ids and $metrics in step).
with

wanted as (
    select unnest($judge_ids::varchar[]) as judge_id, unnest($metrics::varchar[]) as metric
)

select
    position,
    metric,
    repeat,
    -- The newest verdict that settles it; NULL while there are only errors.
    max(verdict_no) filter (status <> 'error') as settled_no,
    -- A score made from some of the contexts only can be completed.
    arg_max(
        status = 'error' or (metric <> 'refusal' and coalesce(try_cast(detail ->> '$.partial' as boolean), false)),
        verdict_no
    ) as is_failed
from verdict
inner join wanted using (judge_id, metric)
where run_id = $run_id and context_rank is null
group by position, metric, repeat
