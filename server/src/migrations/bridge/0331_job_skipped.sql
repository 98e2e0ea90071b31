-- Objects that a job left out: a job that left out all of them did nothing.
alter table job add column skipped integer not null default 0;
