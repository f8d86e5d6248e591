select position, rank_a, rank_b, jaccard
from redundancy
inner join matched using (position)
where run_id = $run_id
order by position, rank_a, rank_b
