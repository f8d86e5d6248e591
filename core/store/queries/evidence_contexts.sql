select position, rank, doc_id, text
from context
where run_id = $run_id
    and position between $first and $last
    and position in (select unnest($positions::bigint[]))
order by position, rank
