-- Retention deletes the scripts with their session. The other index has only the first part of each
-- script, so every deleted session read the whole table.
create index undo_script_session on undo_script (session);
