-- Milliseconds by which the clock of a process is ahead of the database's. Null: not read yet.
alter table server add column clock_ahead double precision;
