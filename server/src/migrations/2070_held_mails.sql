-- Mails that wait for the end of the quiet hours of their receiver, or for the daily digest.
create table held_mail (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references account (id) on delete cascade,
  kind text not null,
  -- Subject, page to link and user who acted, as in the queue of mails.
  about jsonb not null,
  date_held timestamptz not null default now()
);
create index held_mail_account on held_mail (account_id);
