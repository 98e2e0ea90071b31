-- State of an account at its source, as last read there. `shut_by_source`: the source, and not an
-- administrator, made the account inactive; it becomes active again when the source lists it.
alter table account
  add column source_state text not null default 'listed' check (source_state in
    ('listed', 'disabled', 'expired', 'locked', 'must_change', 'gone')),
  add column date_source_state timestamptz,
  add column shut_by_source boolean not null default false;
create index account_shut on account (date_source_state) where shut_by_source;

-- The last time that the source of an account confirmed its user, and the permanent id of the user
-- at a directory. Separate from accounts, as each read of a directory changes it.
create table source_proof (
  user_id uuid primary key references account (id) on delete cascade,
  source_key text,
  date_proved timestamptz not null default now()
);
create index source_proof_key on source_proof (source_key) where source_key is not null;
-- Existing accounts get the full time from the upgrade.
insert into source_proof (user_id) select id from account where source <> 'local';

-- The last reads of the directory: one row. `held`: people that a read would shut, until an
-- administrator confirms it.
create table directory_reading (
  is_only boolean primary key default true check (is_only),
  digest text not null default '',
  date_read timestamptz,
  failures integer not null default 0,
  failing_since timestamptz,
  reason text not null default '',
  held_id uuid,
  held_digest text,
  date_held timestamptz,
  held_of integer,
  held jsonb
);
insert into directory_reading default values;
