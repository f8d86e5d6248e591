-- Why matched samples have no hits: cause, or NULL where they have not been worked out yet.
select sample_hits.cause, count(*) as n
from matched
left join sample_hits on sample_hits.run_id = $run_id and sample_hits.position = matched.position
where sample_hits.basis is null
group by all
order by all
