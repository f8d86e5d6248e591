-- Never a version that the run had before it was deleted and imported again: caches keep those.
insert into run by name
select * replace (epoch_us(imported_at) as data_version) from staging.run
