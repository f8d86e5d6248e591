-- Per metric and judge of a run: states and the range of the values, newest verdict per sample.
with

newest as (
    select
        metric,
        judge_id,
        position,
        arg_max(
            {'status': status, 'value': value},
            {'settled': status <> 'error', 'verdict_no': verdict_no}
        ) as verdict
    from verdict
    where run_id = $run_id and context_rank is null
    group by metric, judge_id, position
)

select
    metric,
    judge_id,
    judge.kind,
    judge.model,
    count(*) filter (verdict.status = 'value') as n,
    count(*) filter (verdict.status = 'not_applicable') as not_applicable,
    count(*) filter (verdict.status = 'error') as error,
    avg(verdict.value) as mean,
    min(verdict.value) as min,
    max(verdict.value) as max
from newest
inner join judge using (judge_id)
group by all
order by metric, kind, judge_id
