-- Contexts of each sample that one source has a mark for, in the order of context_gains.
select count(*)::bigint as n_contexts
from context
inner join (
    select distinct position from context_marks where kind = $kind and name = $name and source = $source
) as marked using (position)
where context.run_id = $run_id
group by context.position
order by context.position
