with

counts as (
    select position, count(*) as n from context where run_id = $run_id group by position
)

select
    min(coalesce(counts.n, 0)) as least,
    median(coalesce(counts.n, 0)) as middle,
    max(coalesce(counts.n, 0)) as most,
    count(*) as n
from sample
left join counts using (position)
where sample.run_id = $run_id and sample.is_contexts_recorded
