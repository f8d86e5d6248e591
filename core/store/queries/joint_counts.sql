-- What triad and context use know together: the code of the triad, then hit and adherence.
select code * 9 + cue_code // 9 as joint_code, count(*) as n
from matched
group by all
order by all
