-- What counts as a hit in a run. Append-only; the newest row counts, and without one the plain rule,
-- whose name is empty. terms is the table of medical words as it was then, NULL where it is off, so
-- that samples which come later are compared by the same words.
create table hit_rule (
    run_id varchar not null,
    rule_no bigint not null,
    rule varchar not null,
    use_reference boolean not null,
    terms varchar,
    terms_name varchar,
    set_at timestamp not null
);

-- Hits by the plain rule are kept beside those by the rule of the run, so that its effect can be shown.
alter table sample_hits add column rule varchar default '';
alter table wide add column is_proxy_hit boolean default false;

create view sample_hits_now as
with current_rule as (
    select run_id, arg_max(rule, rule_no) as rule
    from hit_rule
    group by run_id
)

select sample_hits.*
from sample_hits
left join current_rule using (run_id)
where sample_hits.rule = coalesce(current_rule.rule, '');
