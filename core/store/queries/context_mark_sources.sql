select
    kind, name, source, count(*) as n, min(value) as least, max(value) as most,
    bool_and(value = round(value)) as is_whole
from context_marks
group by all
order by kind, name, source
