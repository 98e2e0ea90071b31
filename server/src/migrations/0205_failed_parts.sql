-- A job that came to its end may have failed for some of what it was about, such as servers: how many.
alter table job add column failed integer not null default 0;

-- A host of a batch command shows its output while the command runs there.
alter table command_execution_host drop constraint command_execution_host_state_check;
alter table command_execution_host add constraint command_execution_host_state_check
  check (state in ('waiting', 'running', 'succeeded', 'failed', 'left_out'));
