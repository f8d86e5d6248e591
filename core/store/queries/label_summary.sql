select
    criterion,
    count(*) as n,
    count(value) as n_numeric,
    avg(value) as mean,
    min(value) as min,
    max(value) as max
from label_current
where run_id = $run_id
group by criterion
order by criterion
