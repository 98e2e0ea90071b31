-- Commands that a user keeps for the web terminal.
create table snippet (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  name text not null,
  content text not null,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || content)) stored
);
create index snippet_user on snippet (user_id, name);
