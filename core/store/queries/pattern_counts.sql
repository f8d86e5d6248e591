select
    code, is_noisy, is_borderline, is_partial, is_partial_refusal, is_unstable, count(*) as n
from matched
group by all
order by all
