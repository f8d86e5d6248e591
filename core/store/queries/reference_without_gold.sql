-- Matched samples with a reference and without gold evidence by the plain rule.
select count(*)
from matched
inner join sample_hits using (position)
inner join sample using (run_id, position)
where run_id = $run_id and rule = '' and sample_hits.cause = 'no_gold' and len(reference_texts) > 0
