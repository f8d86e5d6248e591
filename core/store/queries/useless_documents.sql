-- Documents retrieved for several matched samples with evidence that hold it in none of them.
with

retrieved as (
    select
        context.doc_id,
        context.position,
        context.rank,
        row_number() over (partition by context.position order by context.rank) as place
    from context
    inner join evidence using (position)
    where context.run_id = $run_id and context.doc_id is not null
),

judged as (
    select retrieved.doc_id, retrieved.position, retrieved.rank, stages[place] is not null as is_hit
    from retrieved
    inner join evidence using (position)
)

select doc_id, count(distinct position) as n_retrieved, avg(rank) as mean_rank
from judged
group by doc_id
having not bool_or(is_hit) and count(distinct position) > 1
order by n_retrieved desc, doc_id
limit $limit
