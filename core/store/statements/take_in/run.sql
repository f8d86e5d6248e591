insert into run by name select * from staging.run
