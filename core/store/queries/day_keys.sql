-- How many samples of a run are dated by each of these keys of their extra columns; of a large run some of them.
with

looked_at as (
    select extra
    from sample
    where run_id = $run_id and extra is not null and position % $step = 0
)

select key, count(day_of(extra ->> ('$."' || key || '"'))) as n
from looked_at, (select unnest($keys) as key)
group by key
having n > 0
order by n desc, list_position($keys, key)
