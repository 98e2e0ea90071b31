-- Which commands people may run with a system user.
create table command_filter (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_active boolean not null default true,
  comment text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index command_filter_search on command_filter using gin (search_text gin_trgm_ops);

create table command_filter_rule (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  filter_id uuid not null references command_filter (id) on delete cascade,
  type text not null default 'command' check (type in ('command', 'regex')),
  content text not null,
  priority integer not null default 50 check (priority between 1 and 100),
  action integer not null default 0 check (action in (0, 1)),
  is_active boolean not null default true,
  comment text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(content)) stored
);
create index command_filter_rule_filter on command_filter_rule (filter_id, priority desc, action);
create index command_filter_rule_search on command_filter_rule using gin (search_text gin_trgm_ops);

create table command_filter_system_users (
  command_filter_id uuid not null references command_filter (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  primary key (command_filter_id, system_user_id)
);
create index command_filter_system_users_account on command_filter_system_users (system_user_id, command_filter_id);

-- Servers keep the compiled rules of live sessions; each change tells them to read the rules again.
create function command_filters_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('command_filters', '');
  return null;
end $$;
create trigger command_filters_changed after insert or update or delete on command_filter for each statement execute function command_filters_changed();
create trigger command_filters_changed after insert or update or delete on command_filter_rule for each statement execute function command_filters_changed();
create trigger command_filters_changed after insert or update or delete on command_filter_system_users
  for each statement execute function command_filters_changed();
