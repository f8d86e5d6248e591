select rank, doc_id, text, score, metadata
from context
where run_id = $run_id and position = $position
order by rank
