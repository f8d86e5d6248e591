select position, sample_id
from sample
where run_id = $run_id and position in (select unnest($positions::bigint[]))
