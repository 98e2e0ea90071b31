-- Conditions of sign-ins. Empty parts always hold.
create table sign_in_rule (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  is_active boolean not null default true,
  everyone boolean not null default false,
  roles integer not null default 0,
  networks text[] not null default '{}',
  networks_excluded boolean not null default false,
  hours text[] not null default '{}',
  time_zone text not null default 'UTC',
  hours_excluded boolean not null default false,
  valid_from timestamptz,
  valid_until timestamptz,
  period_excluded boolean not null default false,
  clients integer not null default 0,
  clients_excluded boolean not null default false,
  otherwise text not null default 'refuse' check (otherwise in ('refuse', 'second_factor')),
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored
);
create index sign_in_rule_search on sign_in_rule using gin (search_text gin_trgm_ops);

create table sign_in_rule_users (
  sign_in_rule_id uuid references sign_in_rule (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  primary key (sign_in_rule_id, user_id)
);
create index sign_in_rule_users_user on sign_in_rule_users (user_id, sign_in_rule_id);

create table sign_in_rule_user_groups (
  sign_in_rule_id uuid references sign_in_rule (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  primary key (sign_in_rule_id, user_group_id)
);
create index sign_in_rule_user_groups_user_group
  on sign_in_rule_user_groups (user_group_id, sign_in_rule_id);

-- Open sessions are checked again when a rule changes.
create function sign_in_rules_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('grants', '');
  return null;
end $$;
create trigger sign_in_rules_changed after insert or delete or update on sign_in_rule
  for each statement execute function sign_in_rules_changed();
create trigger sign_in_rules_changed after insert or delete on sign_in_rule_users
  for each statement execute function sign_in_rules_changed();
create trigger sign_in_rules_changed after insert or delete on sign_in_rule_user_groups
  for each statement execute function sign_in_rules_changed();
