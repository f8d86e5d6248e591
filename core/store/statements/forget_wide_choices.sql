delete from wide_selection where run_id = $run_id
