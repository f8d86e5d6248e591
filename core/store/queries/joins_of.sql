-- Earlier times that the scores of the same bytes were joined to a run.
select import_id, file_name, imported_at, run_ids
from import
where file_sha256 = $file_sha256 and list_contains(run_ids, $run_id) and ends_with(format, $mark)
order by imported_at
