insert into context by name select * from staging.context
