-- What was decided about a run, the newest first.
select logged_at, who, action, old_value, new_value, reason
from audit
where run_id = $run_id
order by audit_no desc
limit $limit
