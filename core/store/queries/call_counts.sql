-- A request that several verdicts of a sample share counts once.
select
    count(*) as n,
    count(*) filter (error_kind is not null) as n_failed,
    count(*) filter (is_cached) as n_cached,
    sum(cost) as cost,
    count(*) filter (cost is null and not is_cached) as n_unpriced,
    sum(tokens_in)::bigint as tokens_in,
    sum(tokens_out)::bigint as tokens_out,
    median(latency) filter (not is_cached) as median_latency,
    quantile_cont(latency, 0.95) filter (not is_cached) as latency_95
from call
where run_id = $run_id and settings ->> '$.shared' is null
