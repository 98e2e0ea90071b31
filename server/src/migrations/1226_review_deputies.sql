-- Deputies of reviewers while they are away. A user has one deputy at a time.
create table review_deputy (
  user_id uuid primary key references account (id) on delete cascade,
  deputy_id uuid not null references account (id) on delete cascade,
  date_start timestamptz not null,
  date_end timestamptz not null,
  constraint review_deputy_other check (deputy_id <> user_id),
  constraint review_deputy_dates check (date_end > date_start)
);
create index review_deputy_deputy on review_deputy (deputy_id);

-- The reviewer of the deputy who decided a stage. Both decide no other stage of the ticket.
alter table ticket_stage add column decided_for uuid;
