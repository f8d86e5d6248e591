select judge_id, kind, model, prompt_id, prompt_sha256, params, definition_version from judge
