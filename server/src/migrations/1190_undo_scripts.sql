-- Undo scripts of statements, in sealed parts: they hold old values of targets.
create table undo_script (
  -- The script and the number of the part, as `script.number`.
  id text primary key,
  script uuid not null,
  number integer not null,
  session uuid not null references session (id) on delete cascade,
  -- The statement; null until its change is committed.
  sequence integer,
  row_count integer not null,
  content text not null
);
create index undo_script_parts on undo_script (script, number);
create index undo_script_statement on undo_script (session, sequence) where (number = 0);
