select labels
from claim_set
where run_id = $run_id and position = $position
