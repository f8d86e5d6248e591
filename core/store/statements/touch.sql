create or replace temp table touched as
select distinct position from (select unnest($positions::bigint[]) as position)
