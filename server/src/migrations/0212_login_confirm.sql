-- Users whose sign-ins reviewers confirm.
create table login_confirm_setting (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references account (id) on delete cascade,
  is_active boolean not null default true,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now()
);
create table login_confirm_setting_reviewers (
  user_id uuid not null references login_confirm_setting (user_id) on delete cascade,
  reviewer_id uuid not null references account (id) on delete cascade,
  primary key (user_id, reviewer_id)
);
create index login_confirm_setting_reviewers_reviewer on login_confirm_setting_reviewers (reviewer_id);

-- What the reviewers of a sign-in are asked by. An approval is for this attempt, from this address.
alter table pending_sign_in add column remote_addr text not null default '';
alter table pending_sign_in add column confirm_ticket uuid unique references ticket (id) on delete set null;
