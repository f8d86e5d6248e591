delete from context where run_id = $run_id
