-- Why matched samples have no hits: cause, or NULL where they have not been worked out yet.
select hits.cause, count(*) as n
from matched
left join sample_hits_now as hits on hits.run_id = $run_id and hits.position = matched.position
where hits.basis is null
group by all
order by all
