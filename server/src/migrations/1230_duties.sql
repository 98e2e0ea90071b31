-- A duty limits an administrator or auditor of the installation to a part of its rights. One column
-- holds it, so no account has two.
alter table account add column duty text not null default '',
  add constraint account_duty_of_role check (duty = '' or (duty in ('system', 'security')
    and role = 'Admin') or (duty = 'audit' and role = 'Auditor'));
create index account_duty on account (duty) where (duty <> '');
