delete from wide where run_id = $run_id and position in (select position from touched)
