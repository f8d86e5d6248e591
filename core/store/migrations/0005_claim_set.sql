-- Claims of answer and reference with what entails what, as the file of the run gives them. The texts
-- stand in labels; the counts are of claims of the answer by what is true of them, n_open of none.
create table claim_set (
    run_id varchar not null,
    position bigint not null,
    labels json not null,
    n_answer integer not null,
    n_reference integer not null,
    n_open integer not null,
    n_right_supported integer not null,
    n_wrong_relevant integer not null,
    n_wrong_irrelevant integer not null,
    n_wrong_unsupported integer not null,
    n_right_unsupported integer not null,
    check (
        n_right_supported + n_wrong_relevant + n_wrong_irrelevant + n_wrong_unsupported
        + n_right_unsupported + n_open = n_answer
    )
);
