update run set name = $name where run_id = $run_id
