-- Positions of the matched samples in the order of sample_page.
with

severities as (
    select unnest($severity) as severity, generate_subscripts($severity, 1) - 1 as code
)

select position
from matched
inner join severities using (code)
order by severity, distance asc nulls last, sample_id
