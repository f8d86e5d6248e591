with

chosen as (
    select position
    from sample
    where run_id = $run_id
    order by md5(sample_id), position
    limit $limit
)

select text
from context
inner join chosen using (position)
where run_id = $run_id and text is not null
order by position, rank
