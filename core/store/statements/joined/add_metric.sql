-- A scale that the run has already stays: its own scores are read by it.
insert into run_metric by name
select
    $run_id as run_id, $metric as metric, $lo as lo, $hi as hi, $direction as direction, $cut as cut,
    $is_declared as is_declared
where not exists (select 1 from run_metric where run_id = $run_id and metric = $metric)
