-- Criteria of $names for which nobody in the run ever gave another label than 0 and 1.
select criterion, count(distinct position) as n
from label
where run_id = $run_id and context_rank is null and list_contains($names, criterion)
group by criterion
having bool_and(coalesce(value in (0, 1), false))
order by list_position($names, criterion)
