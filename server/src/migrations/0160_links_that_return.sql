-- What a permission named and no longer does. A removal that is undone did not happen: within ten minutes, what is named again keeps the date since
-- when it was. Otherwise undoing one would hide the member from the report of unused access for a whole period.
create table asset_permission_removed (
  links text not null,
  permission_id uuid not null references asset_permission (id) on delete cascade,
  member_id uuid not null,
  date_added timestamptz not null,
  date_removed timestamptz not null default now(),
  primary key (links, permission_id, member_id)
);
create index asset_permission_removed_date on asset_permission_removed (date_removed);

create function asset_permission_link_removed() returns trigger language plpgsql as $$
begin
  delete from asset_permission_removed where date_removed < now() - interval '10 minutes';
  execute format(
    'insert into asset_permission_removed (links, permission_id, member_id, date_added)
     select %L, gone.asset_permission_id, gone.%I, gone.date_added from gone join asset_permission p on p.id = gone.asset_permission_id
     on conflict (links, permission_id, member_id) do update set date_added = excluded.date_added, date_removed = excluded.date_removed',
    tg_table_name, tg_argv[0]);
  return null;
end $$;

create function asset_permission_link_added() returns trigger language plpgsql as $$
begin
  execute format(
    'update %I link set date_added = removed.date_added from asset_permission_removed removed, added
     where removed.links = %L and removed.permission_id = added.asset_permission_id and removed.member_id = added.%I
       and removed.date_removed >= now() - interval ''10 minutes''
       and link.asset_permission_id = added.asset_permission_id and link.%I = added.%I',
    tg_table_name, tg_table_name, tg_argv[0], tg_argv[0], tg_argv[0]);
  return null;
end $$;

create trigger removed after delete on asset_permission_users referencing old table as gone
  for each statement execute function asset_permission_link_removed('user_id');
create trigger added after insert on asset_permission_users referencing new table as added
  for each statement execute function asset_permission_link_added('user_id');
create trigger removed after delete on asset_permission_user_groups referencing old table as gone
  for each statement execute function asset_permission_link_removed('user_group_id');
create trigger added after insert on asset_permission_user_groups referencing new table as added
  for each statement execute function asset_permission_link_added('user_group_id');
create trigger removed after delete on asset_permission_assets referencing old table as gone
  for each statement execute function asset_permission_link_removed('asset_id');
create trigger added after insert on asset_permission_assets referencing new table as added
  for each statement execute function asset_permission_link_added('asset_id');
create trigger removed after delete on asset_permission_nodes referencing old table as gone
  for each statement execute function asset_permission_link_removed('node_id');
create trigger added after insert on asset_permission_nodes referencing new table as added
  for each statement execute function asset_permission_link_added('node_id');
