create or replace temp table dropped as
select run_id, position from sample where list_contains($rows, source_row)
