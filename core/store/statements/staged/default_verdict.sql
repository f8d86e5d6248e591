-- What all plain scores of the file have in common, so that their rows need not say it.
alter table verdict alter column repeat set default 0;
alter table verdict alter column judge_id set default getvariable('judge_id');
alter table verdict alter column judged_at set default getvariable('now');
