-- Over the matched samples with two or more contexts: mean pair, and samples with a near pair.
with

by_sample as (
    select position, avg(jaccard) as mean, max(jaccard) as closest
    from redundancy
    inner join matched using (position)
    where run_id = $run_id
    group by position
)

select
    count(*) as n,
    avg(mean) as mean,
    coalesce(stddev_samp(mean), 0) as sd,
    count(*) filter (closest >= $near) as n_near
from by_sample
