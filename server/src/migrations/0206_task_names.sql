-- A task is called by what it is about: when that gets another name, so does the task.
create index ops_task_key on ops_task (key text_pattern_ops);

create function ops_task_call(task uuid, called text) returns void language sql as $$
  update ops_task set
    name = left(name, length(name) - length(subject)) || called,
    words = replace(words, lower(': ' || subject), lower(': ' || called)),
    subject = called
  where id = task and subject <> called and subject <> '' and right(name, length(subject)) = subject
$$;

create function ops_task_of_node_renamed() returns trigger language plpgsql as $$
begin
  perform ops_task_call(task.id, (select string_agg(above.value, ' / ' order by length(above.key)) from node above where above.id = any (named.ancestors)))
  from ops_task task join node named on named.id = substr(task.key, 6)::uuid
  where task.key like 'node:%' and (named.id = new.id or (old.value <> new.value and new.id = any (named.ancestors)));
  return null;
end $$;
create trigger node_renamed after update of value, ancestors on node
  for each row when (old.value <> new.value or old.ancestors <> new.ancestors) execute function ops_task_of_node_renamed();

-- `asset:ID`, `admin_user:ID` and `system_user:ID`; of one account on one asset, the name of the system user is the beginning.
create function ops_task_of_row_renamed() returns trigger language plpgsql as $$
declare
  old_name text := to_jsonb(old) ->> tg_argv[1];
  new_name text := to_jsonb(new) ->> tg_argv[1];
begin
  perform ops_task_call(task.id, new_name || substr(task.subject, length(old_name) + 1))
  from ops_task task where task.key like tg_argv[0] || ':' || new.id || '%' and starts_with(task.subject, old_name);
  return null;
end $$;
create trigger asset_renamed after update of hostname on asset
  for each row when (old.hostname <> new.hostname) execute function ops_task_of_row_renamed('asset', 'hostname');
create trigger admin_user_renamed after update of name on admin_user
  for each row when (old.name <> new.name) execute function ops_task_of_row_renamed('admin_user', 'name');
create trigger system_user_renamed after update of name on system_account
  for each row when (old.name <> new.name) execute function ops_task_of_row_renamed('system_user', 'name');
