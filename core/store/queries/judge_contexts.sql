select position, rank, doc_id, text, score
from context
where run_id = $run_id and position in (select unnest($positions::bigint[]))
order by position, rank
