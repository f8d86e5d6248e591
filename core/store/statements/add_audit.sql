insert into audit by name
select
    (select coalesce(max(audit_no), 0) + 1 from audit) as audit_no, $now as logged_at, $who as who,
    $action as action, $run_id as run_id, $sample_id as sample_id, $old_value as old_value,
    $new_value as new_value, $reason as reason
