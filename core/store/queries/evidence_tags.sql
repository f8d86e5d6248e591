-- Value of one tag of the samples with evidence; row is that of the table evidence.
select row, value
from evidence
inner join tag using (position)
where run_id = $run_id and name = $tag
order by value, row
