insert into import_problem by name
select $import_id as import_id, $row_no as row_no, $kind as kind, $message as message, $n as n
