-- Access keys say what they are for, when they end, and from where they were used last.
alter table access_key add column name text not null default '';
alter table access_key add column date_expired timestamptz;
alter table access_key add column remote_addr text not null default '';
alter table access_key drop column search_text;
alter table access_key add column search_text text generated always as (id::text || ' ' || lower(name)) stored;

-- Places (an IPv4 address, an IPv6 /64 network) from which an account signed in. They keep a budget of wrong passwords of their own
-- when guesses from everywhere have used up the one of the account.
create table known_place (
  user_id uuid not null references account (id) on delete cascade,
  place text not null,
  date_used timestamptz not null default now(),
  primary key (user_id, place)
);
create index known_place_place on known_place (place);
create index known_place_used on known_place (date_used);

-- Counted under other names from now on: spellings are folded and addresses are places.
delete from login_attempt;
