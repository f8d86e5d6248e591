-- The values of the temporary table scored counted in $bins equal steps from $lo to $hi.
select
    greatest(0, least($bins - 1, floor((value - $lo) / ($hi - $lo) * $bins + 1e-9)))::integer as bin,
    count(*) as n
from scored
semi join matched using (position)
where value is not null
group by all
order by bin
