select judge_id, model from judge
