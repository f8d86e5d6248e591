-- How many samples changed their pattern because the cuts differ from the stored ones.
select stored_code, code, count(*) as n
from matched
where stored_code <> code
group by all
order by all
