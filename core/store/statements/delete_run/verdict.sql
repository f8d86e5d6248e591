delete from verdict where run_id = $run_id
