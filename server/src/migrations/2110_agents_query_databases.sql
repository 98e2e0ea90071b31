-- The leash of an agent names databases, whether its statements may change them, and a budget of
-- rows.
alter table agent add column databases text not null default '';
alter table agent add column statements text not null default 'read'
  check (statements in ('read', 'change'));
alter table agent add column max_rows integer not null default 1000;
alter table agent add column used_rows bigint not null default 0;
alter table agent_call drop constraint agent_call_tool_check;
alter table agent_call add constraint agent_call_tool_check
  check (tool in ('run', 'read_file', 'write_file', 'query', 'request_access'));
