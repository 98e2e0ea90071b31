-- An account in enforced mode runs only these commands, a pattern a line, and nothing else can be opened with it.
alter table system_account
  add column enforced boolean not null default false,
  add column allowed_commands text not null default '';
-- Open sessions end when it changes.
create trigger enforced_moved after update of enforced, allowed_commands on system_account for each statement execute function standing_moved();
