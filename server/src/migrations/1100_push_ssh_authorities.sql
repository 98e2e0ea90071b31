-- Changed authorities or principals are pushed to the accounts of system users with certificates.
drop trigger pushes on system_account;
create trigger pushes after update on system_account
  for each row when (pushes_itself(new.*) and (new.username is distinct from old.username or new.username_same_with_user is distinct from old.username_same_with_user or new.password is distinct from old.password or new.private_key is distinct from old.private_key or new.shell is distinct from old.shell or new.home is distinct from old.home or new.sudo is distinct from old.sudo or new.auto_push is distinct from old.auto_push or new.protocol is distinct from old.protocol or new.login_mode is distinct from old.login_mode or new.certificate_principals is distinct from old.certificate_principals))
  execute function push_of_system_user();

create function push_of_ssh_authority() returns trigger language plpgsql as $$
begin
  if is_resealing() then
    return null;
  end if;
  insert into system_user_push_wanted (system_user_id)
  select s.id from system_account s
    where s.org_id = old.org_id and s.login_mode = 'certificate' and pushes_itself(s) order by 1
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after update of public_key or delete on ssh_authority
  for each row execute function push_of_ssh_authority();
