-- Adherence of the matched samples with a known hit, counted in $bins equal steps from $lo to $hi.
select
    cue_code // 27 = 1 as is_hit,
    greatest(0, least($bins - 1, floor((adherence - $lo) / ($hi - $lo) * $bins + 1e-9)))::integer as bin,
    count(*) as n
from matched
where adherence is not null and cue_code // 27 < 2
group by all
order by all
