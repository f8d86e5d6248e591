delete from threshold where run_id = $run_id
