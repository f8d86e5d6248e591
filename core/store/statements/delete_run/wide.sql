delete from wide where run_id = $run_id
