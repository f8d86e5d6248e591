-- The list of runs without any text column of their samples; the newest import first.
with

judged as (
    select
        run_id,
        string_agg(distinct judge.model, ', ' order by judge.model) as judges
    from wide_selection
    inner join judge using (judge_id)
    where axis in ('context_relevance', 'groundedness', 'answer_relevance')
    group by run_id
)

select
    run.run_id, run.data_version, run.name, run.dataset, run.tool, run.tool_version,
    run.created_at, run.imported_at, run.file_name, run.file_sha256, run.n_samples,
    run.has_contexts, run.has_answers, run.config, run.note, judged.judges
from run
left join judged using (run_id)
order by run.imported_at desc, run.name
