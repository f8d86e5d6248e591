-- Makes the temporary table kept: all samples of a run.
create or replace temp table kept as
select position, sample_id from wide where run_id = $run_id
