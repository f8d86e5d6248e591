select position, sample_id, question, answer
from sample
where run_id = $run_id
order by position
