create or replace temp table touched as
select position from sample where run_id = $run_id and position between $first and $last
