insert into claim_set by name select * from staging.claim_set
