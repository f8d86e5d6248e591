-- Whether any sample of a run has a reference.
select exists (from sample where run_id = $run_id and len(reference_texts) > 0)
