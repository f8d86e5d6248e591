select coalesce(max(verdict_no), 0) from verdict where run_id = $run_id
