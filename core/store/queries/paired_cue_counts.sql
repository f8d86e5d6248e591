select baseline_cue_code, matched.cue_code, count(*) as n
from matched
inner join matched_baseline using (sample_id)
group by all
order by all
