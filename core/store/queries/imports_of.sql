select
    import_id, import.file_name, import.imported_at,
    list(run.run_id order by run.name) as run_ids, list(run.name order by run.name) as names
from import
inner join run on list_contains(import.run_ids, run.run_id)
where import.file_sha256 = $file_sha256
group by all
order by import.imported_at
