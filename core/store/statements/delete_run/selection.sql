delete from selection where run_id = $run_id
