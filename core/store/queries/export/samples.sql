select
    position, sample_id, question, answer, reference_texts, is_contexts_recorded, history, latency,
    cost, error, extra
from sample
where run_id = $run_id and position in (select unnest($positions::bigint[]))
