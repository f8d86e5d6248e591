insert into run_metric by name
select
    $run_id as run_id, $metric as metric, $lo as lo, $hi as hi, $direction as direction, $cut as cut,
    $is_declared as is_declared
