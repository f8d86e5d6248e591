select coalesce(max(position) + 1, 0) from sample where run_id = $run_id
