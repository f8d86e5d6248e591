-- A scale that is unknown because the run has no value of the metric yet; another one stays.
delete from run_metric
where run_id = $run_id and metric = $metric and lo is null and not is_declared
