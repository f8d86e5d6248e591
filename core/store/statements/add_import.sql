insert into import by name
select
    $import_id as import_id, $file_name as file_name, $file_sha256 as file_sha256,
    $format as format, $now as imported_at, $run_ids as run_ids
