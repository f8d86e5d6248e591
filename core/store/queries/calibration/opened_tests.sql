-- Criteria of a run whose test part somebody has opened.
select distinct new_value as criterion
from audit
where run_id = $run_id and action = 'test opened'
order by all
