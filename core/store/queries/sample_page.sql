-- One page of the matched samples, the most severe first; then the nearest to a cut, then by id.
with

severities as (
    select unnest($severity) as severity, generate_subscripts($severity, 1) - 1 as code
)

select matched.position, matched.sample_id, matched.code
from matched
inner join severities using (code)
order by severity, distance asc nulls last, sample_id
limit $limit offset $offset
