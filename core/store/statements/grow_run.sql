update run
set
    n_samples = n_samples + $n_samples,
    has_contexts = has_contexts or $has_contexts,
    has_answers = has_answers or $has_answers,
    data_version = data_version + 1
where run_id = $run_id
