-- Roles and duties belong to the installation, so the control of the default organization holds
-- them, and the administrators and auditors of each organization.

-- Refuses a role or duty of an account without a decided change set. New ordinary accounts, the
-- deletion of accounts, and roles that a group mapping takes back are free.
create function guard_role() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.role = 'User' and new.duty = '' then return new; end if;
  elsif (old.role, old.duty) is not distinct from (new.role, new.duty) then
    return new;
  elsif new.role = 'User' and old.duty = new.duty and exists (
    select 1 from provider_role p where p.user_id = old.id and p.role = old.role) then
    return new;
  end if;
  if not change_is_decided('', null, tg_op) then
    raise exception using errcode = 'SP001', message = 'the organization controls this change';
  end if;
  return new;
end $$;
create trigger change_control before insert or update of role, duty on account
  for each row execute function guard_role();

-- Refuses to make or unmake administrators and auditors of an organization. Members who were
-- deleted or disabled may leave.
create function guard_office() returns trigger language plpgsql as $$
begin
  if coalesce(case when tg_op <> 'INSERT' then old.role end, 'User') = 'User'
    and coalesce(case when tg_op <> 'DELETE' then new.role end, 'User') = 'User'
    or tg_op = 'DELETE' and not exists (
      select 1 from account a where a.id = old.user_id and a.is_active)
    or change_is_decided('', null, tg_op) then
    return coalesce(new, old);
  end if;
  raise exception using errcode = 'SP001', message = 'the organization controls this change';
end $$;
create trigger change_control before insert or update or delete on organization_member
  for each row execute function guard_office();
