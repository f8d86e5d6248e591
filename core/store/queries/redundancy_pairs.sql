-- Mean token Jaccard of the matched samples by pair of ranks, with what an interval needs.
select
    rank_a,
    rank_b,
    count(*) as n,
    avg(jaccard) as mean,
    coalesce(stddev_samp(jaccard), 0) as sd,
    count(*) filter (jaccard >= $near) as n_near
from redundancy
inner join matched using (position)
where run_id = $run_id
group by all
order by all
