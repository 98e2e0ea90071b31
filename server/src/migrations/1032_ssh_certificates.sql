-- Authorities that sign SSH user certificates for the system users of an organization. The newest
-- signs; targets should trust all, so that a rotation interrupts nothing. The server fills in the
-- keys in the transaction of the insert; private keys are sealed.
create table ssh_authority (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  public_key text not null default '',
  private_key text not null default '',
  fingerprint text not null default '',
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || fingerprint)) stored,
  unique (org_id, name)
);
create index ssh_authority_search on ssh_authority using gin (search_text gin_trgm_ops);

-- Serial numbers of certificates are unique in the installation.
create sequence ssh_certificate_serial as bigint;

alter table system_account
  -- Names in the certificate, one a line; empty for the username.
  add column certificate_principals text not null default '',
  add column certificate_minutes integer not null default 5;

-- The certificate that opened the session.
alter table session
  add column certificate_serial text,
  add column certificate_key_id text,
  add column certificate_principals text,
  add column date_certificate_expires timestamptz;

create or replace function pushes_itself(s system_account) returns boolean language sql immutable as $$
  select s.auto_push and (s.login_mode = 'auto' and s.protocol in ('ssh', 'rdp')
    or s.login_mode = 'certificate' and s.protocol = 'ssh')
$$;
