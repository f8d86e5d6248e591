-- What the texts alone say about correctness (the letter chosen, the same text, the same list), and
-- which of them said it. Derived from the verdicts of overlap-v1, as all of the wide table is.
alter table wide add column text_correct tinyint;
alter table wide add column text_source varchar;
