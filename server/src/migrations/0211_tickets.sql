-- Questions of users that one of their assignees answers, and what they write about them.
create table ticket (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references account (id) on delete set null,
  -- Names stay readable when an account is gone.
  user_display text not null default '',
  title text not null,
  body text not null,
  type text not null default 'general' check (type in ('general', 'login_confirm', 'request_asset')),
  status text not null default 'open' check (status in ('open', 'closed')),
  action text not null default '' check (action in ('', 'approve', 'reject')),
  assignee_id uuid references account (id) on delete set null,
  assignee_display text not null default '',
  closed_by text not null default '',
  date_closed timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(user_display || E'\n' || title)) stored,
  check (action = '' or status = 'closed')
);
create index ticket_list on ticket (date_created desc, id);
create index ticket_user on ticket (user_id, date_created desc);
create index ticket_assignee on ticket (assignee_id);
create index ticket_search on ticket using gin (search_text gin_trgm_ops);

create table ticket_assignees (
  ticket_id uuid not null references ticket (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  primary key (ticket_id, user_id)
);
create index ticket_assignees_user on ticket_assignees (user_id, ticket_id);

create table ticket_comment (
  id uuid primary key default gen_random_uuid(),
  ticket_id uuid not null references ticket (id) on delete cascade,
  user_id uuid references account (id) on delete set null,
  user_display text not null,
  body text not null,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now()
);
create index ticket_comment_ticket on ticket_comment (ticket_id, date_created, id);
create index ticket_comment_user on ticket_comment (user_id);
