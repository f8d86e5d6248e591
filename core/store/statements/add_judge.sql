insert into judge by name
select
    $judge_id as judge_id, $kind as kind, $model as model, $prompt_id as prompt_id,
    $prompt_sha256 as prompt_sha256, $params as params, $definition_version as definition_version
where not exists (select 1 from judge where judge_id = $judge_id)
