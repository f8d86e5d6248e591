select position, sample_id
from sample
where run_id = $run_id and sample_id in (select unnest($sample_ids::varchar[]))
