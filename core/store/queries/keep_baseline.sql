create or replace temp table matched_baseline as
select sample_id, code, cue_code as baseline_cue_code from matched
