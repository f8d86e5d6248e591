update run set data_version = data_version + 1 where run_id = $run_id
