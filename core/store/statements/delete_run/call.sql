delete from call where run_id = $run_id
