delete from redundancy where run_id = $run_id
