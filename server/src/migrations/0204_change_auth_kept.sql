-- Assets that are deleted are looked for in what became of them, and runs that were kept long enough by their end.
create index change_auth_subtask_asset on change_auth_subtask (asset_id);
create index change_auth_execution_finished on change_auth_execution (date_finished) where is_finished;
