-- Which part of the labels of a criterion a sample belongs to, so that what chose a cut does not also
-- measure it. A sample keeps its part for good; labels that come later are dealt out to the same shares.
create table label_part (
    run_id varchar not null,
    criterion varchar not null,
    position bigint not null,
    part varchar not null,
    seed bigint not null,
    dealt_at timestamp not null,
    check (part in ('train', 'dev', 'test'))
);
