select position, reference_texts, is_contexts_recorded
from sample
where run_id = $run_id
    and position between $first and $last
    and position in (select unnest($positions::bigint[]))
order by position
