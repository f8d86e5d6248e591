-- Latency in seconds and cost in USD of the matched samples, where they are recorded.
select
    count(wide.latency) as n_latency,
    quantile_cont(wide.latency, 0.5) as p50,
    quantile_cont(wide.latency, 0.95) as p95,
    count(wide.cost) as n_cost,
    sum(wide.cost) as cost
from matched
inner join wide using (position)
where wide.run_id = $run_id
