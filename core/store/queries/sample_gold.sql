select n, doc_id, text, grade, gold_group
from gold
where run_id = $run_id and position = $position
order by n
