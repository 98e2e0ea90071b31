-- The leash of an agent says whether it reads and writes files.
alter table agent add column files text not null default 'none'
  check (files in ('none', 'read', 'write'));
alter table agent_call drop constraint agent_call_tool_check;
alter table agent_call add constraint agent_call_tool_check
  check (tool in ('run', 'read_file', 'write_file'));
