select exists (select 1 from call) as has_calls
