-- Membership of an organization in its three roles, each as the table of pairs of a field of its own: changing one leaves the others alone.
alter table organization_member add column id bigint generated always as identity unique;

create view organization_users as select organization_id, user_id, role, id from organization_member where role = 'User' with check option;
alter view organization_users alter column role set default 'User';
create view organization_admins as select organization_id, user_id, role, id from organization_member where role = 'Admin' with check option;
alter view organization_admins alter column role set default 'Admin';
create view organization_auditors as select organization_id, user_id, role, id from organization_member where role = 'Auditor' with check option;
alter view organization_auditors alter column role set default 'Auditor';

-- Whoever loses the last role in an organization leaves its groups and its rules, whichever way it came about.
create function organization_member_left() returns trigger language plpgsql as $$
begin
  delete from user_group_users link using gone, user_group owner
    where owner.id = link.user_group_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  delete from asset_permission_users link using gone, asset_permission owner
    where owner.id = link.asset_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  return null;
end $$;
create trigger organization_member_deleted after delete on organization_member referencing old table as gone
  for each statement execute function organization_member_left();

-- Where an account was made: its administrators may change it. Null is the default organization.
alter table account add column home_organization_id uuid references organization (id) on delete set null;
create index account_home_organization on account (home_organization_id) where home_organization_id is not null;

-- A pair that joins two objects has a number, by which clients name it.
alter table user_group_users add column id bigint generated always as identity unique;
alter table asset_permission_users add column id bigint generated always as identity unique;
alter table asset_permission_user_groups add column id bigint generated always as identity unique;
alter table asset_permission_assets add column id bigint generated always as identity unique;
alter table asset_permission_nodes add column id bigint generated always as identity unique;
alter table asset_permission_system_users add column id bigint generated always as identity unique;
