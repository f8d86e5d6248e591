delete from gold where run_id = $run_id
