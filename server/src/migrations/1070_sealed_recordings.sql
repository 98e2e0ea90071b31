-- Data keys that seal the keys of recordings.
alter table data_key drop constraint data_key_purpose_check,
  add constraint data_key_purpose_check
    check (purpose in ('secrets', 'signatures', 'servers', 'recordings'));
