delete from tag where run_id = $run_id
