-- A page in the middle of the past sessions is found by this index alone: the other one does not
-- know which sessions are finished, so every row before the page was read from the table.
create index session_past on session (org_id, date_start desc, id desc)
  where (is_finished and not is_canary);
