with

shapes as (
    select
        metric,
        position,
        count(*) as n,
        bool_and(
            kind = 'imported' and model = 'file' and status = 'value' and repeat = 0
            and context_rank is null and cause is null and reasoning is null and detail is null
            and raw is null and verdict.latency is null and verdict.cost is null and tokens is null
        ) as is_plain
    from verdict
    inner join judge using (judge_id)
    where run_id = $run_id
    group by metric, position
)

select metric
from shapes
group by metric
having bool_and(is_plain and n = 1)
order by metric
