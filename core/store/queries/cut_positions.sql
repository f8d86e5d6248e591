-- Samples with a text that was cut before the file was saved.
select distinct position
from tag
where run_id = $run_id and name = 'truncated' and value in ('answer', 'context')
order by position
