-- Sets of verdicts that can serve an axis: one row per metric and judge.
select
    metric,
    verdict.judge_id,
    judge.kind,
    judge.model,
    count(distinct position) as n_any_status,
    count(distinct position) filter (status = 'value') as n_value,
    max(verdict_no) as newest_no
from verdict
inner join judge using (judge_id)
where run_id = $run_id and context_rank is null and list_contains($metrics, metric)
group by all
order by all
