select position, sample_id, left(question, $length) as question, left(answer, $length) as answer
from sample
where run_id = $run_id and position in (select unnest($positions::bigint[]))
