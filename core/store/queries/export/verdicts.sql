select
    position, context_rank, metric, repeat, judge_id, kind, model, prompt_id, prompt_sha256, params,
    definition_version, status, value, cause, reasoning, detail, raw, latency, cost, tokens, judged_at
from verdict
inner join judge using (judge_id)
where run_id = $run_id and position in (select unnest($positions::bigint[]))
    and verdict_no <= $last_no
order by position, verdict_no
