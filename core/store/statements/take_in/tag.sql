insert into tag by name select * from staging.tag
