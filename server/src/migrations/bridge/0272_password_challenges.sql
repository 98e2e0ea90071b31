-- Questions that a source of passwords asks in answer to a right password, until the person answers. One answer each: the row is taken with it.
create table password_challenge (
  token_digest bytea primary key,
  source text not null,
  username text not null,
  -- Which server asked, and what it wants to see again.
  server text not null,
  state bytea,
  message text not null,
  rounds integer not null,
  next text not null,
  remote_addr text not null,
  date_expired timestamptz not null
);
create index password_challenge_expired on password_challenge (date_expired);
