select * from wide where run_id = $run_id and position = $position
