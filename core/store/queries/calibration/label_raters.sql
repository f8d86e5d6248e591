-- Who labelled what in a run; is_context tells labels of contexts from labels of samples.
select criterion, rater, context_rank is not null as is_context, count(distinct position) as n
from label
where run_id = $run_id
group by all
order by all
