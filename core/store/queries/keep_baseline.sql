create or replace temp table matched_baseline as
select sample_id, code from matched
