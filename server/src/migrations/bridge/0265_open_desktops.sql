-- An account for VNC servers that ask for no password. Open sessions end when it changes.
alter table system_account add column no_password boolean not null default false;
drop trigger enforced_moved on system_account;
create trigger enforced_moved after update of enforced, allowed_commands, no_password on system_account for each statement execute function standing_moved();
