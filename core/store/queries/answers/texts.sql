-- What is compared of the samples at these positions, which lie from $first to $last.
select position, question, answer, reference_texts
from sample
where run_id = $run_id and position between $first and $last
    and position in (select unnest($positions::bigint[]))
order by position
