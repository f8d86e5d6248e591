insert into selection by name select * from staging.selection
