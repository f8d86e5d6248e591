-- Imports of the same bytes with the runs that they filled, as far as these are still there;
-- joining the scores of a file to a run fills none.
select
    import_id, import.file_name, import.imported_at, len(import.run_ids) as n_runs,
    list(run.run_id order by run.name, run.run_id) as run_ids
from import
inner join run on list_contains(import.run_ids, run.run_id)
where import.file_sha256 = $file_sha256 and not ends_with(import.format, ', joined')
group by all
order by import.imported_at
