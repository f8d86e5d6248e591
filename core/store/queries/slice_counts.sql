-- Matched samples by the values of all tags: n, decided and failing ones.
-- Left out are slices with fewer than $least decided samples, and tags with more than $most values
-- in the whole run.
with

counted as (
    select tag.name, tag.value, matched.code, count(*) as n
    from matched
    inner join tag using (position)
    where tag.run_id = $run_id
    group by all
),

slices as (
    select
        name,
        value,
        sum(n)::bigint as n,
        coalesce(sum(n) filter (not list_contains($open_codes, code)), 0)::bigint as scored,
        coalesce(sum(n) filter (list_contains($fail_codes, code)), 0)::bigint as failing
    from counted
    group by name, value
),

names as (
    select name from tag where run_id = $run_id group by name having count(distinct value) <= $most
)

select name, value, n, scored, failing
from slices
inner join names using (name)
where scored >= $least
order by name, value
