-- The key that this installation signs with and that is encrypted to, by what it is for; the private one is sealed.
create table provider_key (
  name text primary key,
  private_key text not null,
  certificate text not null,
  date_created timestamptz not null default now()
);

-- Answers of providers that were checked and wait for the browser that they are for; what they prove is sealed.
create table provider_answer (
  handle bytea primary key,
  proved text not null,
  date_expired timestamptz not null
);
create index provider_answer_expired on provider_answer (date_expired);

-- Messages of providers that must not be taken twice, by any server.
create table seen_message (
  digest bytea primary key,
  date_expired timestamptz not null
);
create index seen_message_expired on seen_message (date_expired);
