select count(*)
from matched
where position not in (select position from sample_hits_now where run_id = $run_id)
