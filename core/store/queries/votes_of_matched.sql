-- Every repeat of the matched samples that were judged more than once; reads the temporary table votes.
with

repeated as (
    select position from votes group by position having count(*) > 1
)

select position, repeat, value
from votes
semi join matched using (position)
semi join repeated using (position)
order by position, repeat
