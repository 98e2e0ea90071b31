-- The key pairs that sign seals of the audit logs and evidence by SM2. The newest one signs; the
-- private keys are sealed.
create table sm2_key (
  id text primary key,
  private_key text not null,
  -- 65 bytes: 04, x, y.
  public_key bytea not null,
  date_created timestamptz not null default now()
);
