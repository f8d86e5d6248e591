insert into verdict by name select * from staging.verdict
