select cue_code as code, count(*) as n
from matched
group by all
order by all
