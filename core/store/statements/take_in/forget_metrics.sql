-- An appended file may bring a metric whose scale has to be seen anew.
delete from run_metric
where exists (
    select 1 from staging.run_metric as staged
    where staged.run_id = run_metric.run_id and staged.metric = run_metric.metric
)
