-- Who somebody is to a service that answers for them. The subject never changes there; names and addresses may, and may pass on to others.
create table external_identity (
  issuer text not null,
  subject text not null,
  user_id uuid not null references account (id) on delete cascade,
  date_created timestamptz not null default now(),
  date_used timestamptz not null default now(),
  primary key (issuer, subject),
  unique (user_id, issuer)
);
