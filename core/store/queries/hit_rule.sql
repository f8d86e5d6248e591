-- What counts as a hit in a run: the newest row, none where it was never set.
select rule, use_reference, terms, terms_name, marks
from hit_rule
where run_id = $run_id
order by rule_no desc
limit 1
