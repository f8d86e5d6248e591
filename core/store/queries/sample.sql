select
    position, sample_id, is_generated_id, source_row, question, answer, reference_texts,
    is_contexts_recorded, history, latency, cost, error, extra
from sample
where run_id = $run_id and position = $position
