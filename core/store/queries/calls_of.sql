select
    n, step, context_rank, prompt, reply, finish_reason, error_kind, error, is_cached, request_sha256, latency, cost,
    tokens_in, tokens_out, settings, called_at
from call
where run_id = $run_id and verdict_no = $verdict_no
order by n
