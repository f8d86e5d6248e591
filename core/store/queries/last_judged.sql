select coalesce(max(position), 0) from verdict where run_id = $run_id
