-- Without the texts: those of one verdict are read when somebody opens it.
select
    call.verdict_no, call.n, call.step, call.context_rank, call.finish_reason, call.error_kind, call.error,
    call.is_cached, call.latency, call.cost, call.tokens_in, call.tokens_out, call.called_at,
    verdict.metric, verdict.repeat, verdict.status, verdict.value, verdict.cause, judge.model, judge.prompt_id,
    sample.position, sample.sample_id
from call
inner join verdict on verdict.run_id = call.run_id and verdict.verdict_no = call.verdict_no
inner join judge using (judge_id)
inner join sample on sample.run_id = call.run_id and sample.position = verdict.position
where call.run_id = $run_id and call.settings ->> '$.shared' is null and (call.error_kind is not null or not $only_failed)
order by call.verdict_no desc, call.n desc
limit $limit offset $offset
