-- Makes the temporary table sample_day: the day of each sample of a run as its extra column $key says,
-- or, where $key is NULL, the day of its first verdict. NULL where there is none.
create or replace temp table sample_day as
with

judged as (
    select position, min(judged_at)::date as day
    from verdict
    where $key is null and run_id = $run_id and context_rank is null
    group by position
)

select
    sample.position,
    case when $key is null then judged.day else day_of(extra ->> ('$."' || $key || '"')) end as day
from sample
left join judged using (position)
where run_id = $run_id
