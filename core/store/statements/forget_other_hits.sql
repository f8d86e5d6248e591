-- Hits by rules that are neither the plain one nor that of the run.
delete from sample_hits
where run_id = $run_id and rule not in ('', $rule)
