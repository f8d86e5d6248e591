select run_id, data_version from run
