insert into threshold by name select * from staging.threshold
