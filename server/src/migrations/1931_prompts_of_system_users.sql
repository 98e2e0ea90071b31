-- Expressions of the prompts of devices, and the serial line behind a server of RFC 2217.
alter table system_account
  add column username_prompt text not null default '',
  add column password_prompt text not null default '',
  add column success_pattern text not null default '',
  add column failure_pattern text not null default '',
  add column serial_line text not null default '';
