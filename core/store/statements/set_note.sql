update run set note = $note where run_id = $run_id
