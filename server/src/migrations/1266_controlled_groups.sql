-- User groups and their members change by change sets, too: a permission of a group gives access to
-- its members.

-- Refuses a write without a decided change set. For link tables the arguments are the table and
-- column of the owner, and those of the other side.
create or replace function guard_change() returns trigger language plpgsql as $$
declare
  sides jsonb[] := '{}';
  side jsonb;
  owner_table text := coalesce(tg_argv[0], tg_table_name);
  owner_id uuid;
  organization text;
  is_permission boolean := owner_table in
    ('asset_permission', 'remote_app_permission', 'database_app_permission');
  other_exists boolean;
begin
  if exists (select 1 from change_control) then
    if tg_op <> 'INSERT' then sides := sides || to_jsonb(old); end if;
    if tg_op <> 'DELETE' then sides := sides || to_jsonb(new); end if;
  end if;
  foreach side in array sides loop
    if tg_nargs = 0 then
      organization := side ->> 'org_id';
      owner_id := side ->> 'id';
    else
      owner_id := side ->> tg_argv[1];
      execute format('select org_id from %I where id = $1', owner_table)
        into organization using owner_id;
      -- The links of a deleted owner follow it.
      continue when organization is null;
      if tg_op = 'DELETE' then
        -- The links to a deleted object follow it, and those of users who left.
        execute format('select exists (select 1 from %I where id = $1)', tg_argv[2])
          into other_exists using (side ->> tg_argv[3])::uuid;
        continue when not other_exists;
        continue when (is_permission or owner_table = 'user_group')
          and tg_table_name = owner_table || '_users' and (
            exists (select 1 from account a where a.id = (side ->> 'user_id')::uuid
              and not a.is_active)
            or organization <> '' and not exists (select 1 from organization_member m
              where m.organization_id::text = organization
              and m.user_id = (side ->> 'user_id')::uuid));
        -- Auditors are in no groups, and a provider takes back what it gave.
        continue when tg_table_name = 'user_group_users' and (
          exists (select 1 from account a where a.id = (side ->> 'user_id')::uuid
            and a.role = 'Auditor')
          or exists (select 1 from provider_membership p where p.user_group_id = owner_id
            and p.user_id = (side ->> 'user_id')::uuid));
      end if;
    end if;
    if not change_is_decided(organization, case when is_permission then owner_id end, tg_op) then
      raise exception using errcode = 'SP001', message = 'the organization controls this change';
    end if;
  end loop;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;

create trigger change_control before insert or update or delete on user_group
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on user_group_users
  for each row execute function guard_change('user_group', 'user_group_id', 'account', 'user_id');
