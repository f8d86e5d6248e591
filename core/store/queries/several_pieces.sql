-- Matched samples with more than one piece of evidence: only these differ between hit policies.
select count(*)
from matched
inner join wide using (position)
where run_id = $run_id and n_pieces > 1
