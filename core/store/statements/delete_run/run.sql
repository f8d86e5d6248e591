delete from run where run_id = $run_id
