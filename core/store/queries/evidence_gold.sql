select position, doc_id, text, grade, gold_group
from gold
where run_id = $run_id
    and position between $first and $last
    and position in (select unnest($positions::bigint[]))
order by position, n
