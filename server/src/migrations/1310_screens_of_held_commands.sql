-- The screen on which a held line was typed, for its reviewers. It goes with the row, at the end of
-- the wait.
alter table held_command add column screen text not null default '';
