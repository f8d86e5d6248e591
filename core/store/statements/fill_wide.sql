insert into wide by name
select * from wide_rows
