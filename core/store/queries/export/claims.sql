select position, labels
from claim_set
where run_id = $run_id and position in (select unnest($positions::bigint[]))
