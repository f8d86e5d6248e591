insert into judge by name
select * from staging.judge as staged
where not exists (select 1 from judge where judge.judge_id = staged.judge_id)
