-- Matched samples by their hit under the plain rule and under that of the run: 1 hit, 0 miss, 2 undefined.
-- $hit_share: as in match.sql.
with

plain as (
    select
        position,
        case
            when basis is null then 2
            when len(list_distinct(flatten(held))) > 0
                and len(list_distinct(flatten(held))) >= $hit_share * len(grades) - 1e-9 then 1
            else 0
        end as hit
    from sample_hits
    where run_id = $run_id and rule = ''
)

select plain.hit as before, cue_code // 27 as after, count(*) as n
from matched
inner join plain using (position)
group by all
order by all
