-- Whose marks on single contexts decide where words find nothing: a JSON document, NULL where nobody's.
alter table hit_rule add column marks json;
