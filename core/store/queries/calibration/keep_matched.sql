-- Makes the temporary table kept: the samples that pass the filter.
create or replace temp table kept as
select position, sample_id from matched
