-- Who may open access at once and for a short time, where the usual way takes too long.
create table emergency_access (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_active boolean not null default true,
  actions integer not null default 255,
  max_minutes integer not null default 60 check (max_minutes between 5 and 1440),
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index emergency_access_search on emergency_access using gin (search_text gin_trgm_ops);

create table emergency_access_users (
  emergency_access_id uuid not null references emergency_access (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  primary key (emergency_access_id, user_id)
);
create index emergency_access_users_user on emergency_access_users (user_id, emergency_access_id);
create table emergency_access_user_groups (
  emergency_access_id uuid not null references emergency_access (id) on delete cascade,
  user_group_id uuid not null references user_group (id) on delete cascade,
  primary key (emergency_access_id, user_group_id)
);
create index emergency_access_user_groups_group on emergency_access_user_groups (user_group_id, emergency_access_id);
create table emergency_access_assets (
  emergency_access_id uuid not null references emergency_access (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  primary key (emergency_access_id, asset_id)
);
create index emergency_access_assets_asset on emergency_access_assets (asset_id);
create table emergency_access_nodes (
  emergency_access_id uuid not null references emergency_access (id) on delete cascade,
  node_id uuid not null references node (id) on delete cascade,
  primary key (emergency_access_id, node_id)
);
create index emergency_access_nodes_node on emergency_access_nodes (node_id);
create table emergency_access_system_users (
  emergency_access_id uuid not null references emergency_access (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  primary key (emergency_access_id, system_user_id)
);
create index emergency_access_system_users_system_user on emergency_access_system_users (system_user_id);
create table emergency_access_reviewers (
  emergency_access_id uuid not null references emergency_access (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  primary key (emergency_access_id, user_id)
);
create index emergency_access_reviewers_user on emergency_access_reviewers (user_id);

alter table ticket drop constraint ticket_type_check;
alter table ticket add constraint ticket_type_check check (type in ('general', 'login_confirm', 'request_asset', 'emergency'));

-- What was opened, by whom and why. Its ticket is open until somebody else has reviewed it.
create table emergency_activation (
  ticket_id uuid primary key references ticket (id) on delete cascade,
  org_id text not null,
  emergency_access_id uuid references emergency_access (id) on delete set null,
  rule_name text not null,
  user_id uuid references account (id) on delete set null,
  asset_id uuid references asset (id) on delete set null,
  asset_display text not null,
  permission_id uuid unique references asset_permission (id) on delete set null,
  minutes integer not null,
  date_start timestamptz not null default now(),
  date_expired timestamptz not null,
  check (date_expired > date_start)
);
create index emergency_activation_organization on emergency_activation (org_id, date_start desc);
create index emergency_activation_rule on emergency_activation (emergency_access_id);
create index emergency_activation_user on emergency_activation (user_id, date_start desc);
create index emergency_activation_asset on emergency_activation (asset_id);

-- Who has opened which recording: a review without that is none.
create table emergency_replay (
  session_id uuid not null references session (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  date_opened timestamptz not null default now(),
  primary key (session_id, user_id)
);
create index emergency_replay_user on emergency_replay (user_id);

alter table session add column is_emergency boolean not null default false;

-- The mark is in the row from its beginning: lists show it with the first sight of the session.
create function session_is_emergency() returns trigger language plpgsql as $$
begin
  -- Nearly nobody has ever opened emergency access.
  if exists (select 1 from emergency_activation e where e.user_id = uuid_or_null(new.user_id) and e.permission_id is not null) then
    new.is_emergency := exists (
      select 1 from permissions_allowing(uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
        join emergency_activation e on e.permission_id = allowing.permission_id);
  end if;
  return new;
end $$;
create trigger session_is_emergency before insert on session for each row execute function session_is_emergency();

create or replace function session_uses_requests() returns trigger language plpgsql as $$
begin
  -- Most users have asked for nothing.
  if not new.is_emergency and not exists (
    select 1 from ticket t join ticket_asset_request r on r.ticket_id = t.id
    where t.user_id = uuid_or_null(new.user_id) and r.permission_id is not null) then
    return null;
  end if;
  insert into session_request (session_id, ticket_id)
  select distinct new.id, asked.ticket_id
  from permissions_allowing(uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
    join (
      select r.permission_id, r.ticket_id from ticket_asset_request r
      union all
      select e.permission_id, e.ticket_id from emergency_activation e
    ) asked on asked.permission_id = allowing.permission_id
  on conflict do nothing;
  return null;
exception when foreign_key_violation then
  return null;
end $$;
