insert into label by name select * from staging.label
