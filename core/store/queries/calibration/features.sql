-- Matched samples with the scores that an outcome may be predicted from; hit is NULL where it is unknown.
select
    matched.position,
    matched.sample_id,
    wide.context_relevance,
    wide.groundedness,
    wide.answer_relevance,
    wide.adherence,
    wide.refusal,
    case when matched.cue_code // 27 < 2 then matched.cue_code // 27 end::double as hit
from matched
inner join wide using (position)
where wide.run_id = $run_id
order by matched.position
