insert into gold by name select * from staging.gold
