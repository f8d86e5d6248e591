insert into hit_rule by name
select
    $run_id as run_id,
    (select coalesce(max(rule_no), 0) + 1 from hit_rule where run_id = $run_id) as rule_no,
    $rule as rule, $use_reference as use_reference, $terms as terms, $terms_name as terms_name,
    $marks::json as marks, $now as set_at
