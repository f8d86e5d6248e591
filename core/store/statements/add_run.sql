insert into run by name
select
    $run_id as run_id, 1 as data_version, $name as name, $dataset as dataset, $tool as tool,
    $tool_version as tool_version, $created_at as created_at, $imported_at as imported_at,
    $file_name as file_name, $file_sha256 as file_sha256, $n_samples as n_samples,
    $has_contexts as has_contexts, $has_answers as has_answers, $config as config, $note as note
