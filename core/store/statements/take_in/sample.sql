insert into sample by name select * from staging.sample
