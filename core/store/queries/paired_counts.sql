-- Patterns of the samples that both runs have; matched_baseline is kept by an earlier match.
select
    matched_baseline.code as baseline_code,
    matched.code as code,
    count(*) as n
from matched
inner join matched_baseline using (sample_id)
group by all
order by all
