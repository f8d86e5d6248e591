insert into run_metric by name select * from staging.run_metric
