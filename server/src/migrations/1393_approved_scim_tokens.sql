-- A token of SCIM makes accounts. While duties are separated, it works once an administrator with
-- another duty has approved it. Older tokens are approved.
alter table scim_token
  add column creator_id uuid,
  add column creator_duty text not null default '',
  add column date_approved timestamptz,
  add column approved_by text not null default '';
update scim_token set date_approved = date_created;
