-- A system user that is reached from another one: sessions sign in with `su_from` and change to the
-- account by `su_method`, with its stored password.
alter table system_account
  add su_from_id uuid references system_account (id),
  add su_method text not null default 'su' check (su_method in ('su', 'sudo', 'enable', 'super'));
create index system_account_su_from on system_account (su_from_id) where su_from_id is not null;
