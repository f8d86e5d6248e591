select row, place
from (select row, unnest(repeats) as is_repeat, generate_subscripts(repeats, 1) as place from evidence)
where is_repeat
order by row, place
