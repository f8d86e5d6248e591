-- Claims of the matched samples by kind, and how many samples have one of that kind.
with

counts as (
    select
        unnest([
            {'kind': 'right_supported', 'n': n_right_supported},
            {'kind': 'wrong_relevant', 'n': n_wrong_relevant},
            {'kind': 'wrong_irrelevant', 'n': n_wrong_irrelevant},
            {'kind': 'wrong_unsupported', 'n': n_wrong_unsupported},
            {'kind': 'right_unsupported', 'n': n_right_unsupported},
            {'kind': 'open', 'n': n_open}
        ], recursive := true)
    from claim_set
    semi join matched using (position)
    where run_id = $run_id
)

select kind, sum(n)::bigint as n_claims, count(*) filter (n > 0) as n_samples
from counts
group by kind
order by kind
