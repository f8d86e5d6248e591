-- States and sums of the scores of one judge over the matched samples, metric by metric. A later
-- error does not displace a settled verdict.
with

newest as (
    select
        metric,
        position,
        arg_max(
            {'status': status, 'cause': cause, 'value': value},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as verdict
    from verdict
    semi join matched using (position)
    where run_id = $run_id and judge_id = $judge_id and context_rank is null
    group by metric, position
)

select
    metric,
    verdict.status as status,
    case when verdict.status = 'value' then null else verdict.cause end as cause,
    count(*) as n,
    fsum(verdict.value) as total,
    fsum(verdict.value * verdict.value) as squares
from newest
group by all
order by all
