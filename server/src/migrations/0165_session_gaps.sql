-- When nobody was at the near end of a session: its browser was gone and came back.
alter table session add column gaps jsonb not null default '[]';
