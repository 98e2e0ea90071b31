-- Who stopped the input of a live session, and why.
alter table session add column locked_by text, add column lock_reason text not null default '';
