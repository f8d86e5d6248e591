select
    verdict_no, context_rank, metric, repeat, judge.judge_id, judge.kind, judge.model,
    judge.prompt_id, judge.prompt_sha256, judge.params, judge.definition_version,
    status, value, cause, reasoning, detail, raw, latency, cost, tokens, judged_at
from verdict
inner join judge using (judge_id)
where run_id = $run_id and position = $position
order by verdict_no
