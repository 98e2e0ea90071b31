-- Agents file requests for access, which people decide.
alter table agent_call drop constraint agent_call_tool_check;
alter table agent_call add constraint agent_call_tool_check
  check (tool in ('run', 'read_file', 'write_file', 'request_access'));
