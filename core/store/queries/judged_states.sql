select
    position,
    metric,
    bool_or(status <> 'error') as is_settled,
    arg_max(status, verdict_no) = 'error' as is_error
from verdict
where run_id = $run_id and judge_id = $judge_id and list_contains($metrics, metric) and context_rank is null
group by position, metric
