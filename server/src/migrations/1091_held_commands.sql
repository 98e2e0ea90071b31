-- Rules that hold (2) wait for the decision of a reviewer, at most this many minutes.
alter table command_filter_rule
  drop constraint command_filter_rule_action_check,
  add constraint command_filter_rule_action_check check (action in (0, 1, 2, 3, 4)),
  add column minutes integer not null default 5 check (minutes >= 1 and minutes <= 60);
alter table ticket
  drop constraint ticket_type_check,
  add constraint ticket_type_check check (
    type in ('general', 'login_confirm', 'request_asset', 'request_app', 'emergency', 'held_command'));
-- Commands of open sessions that wait for a reviewer, with their tickets.
create table held_command (
  ticket_id uuid primary key references ticket (id) on delete cascade,
  session_id uuid not null references session (id) on delete cascade,
  date_expires timestamptz not null
);
create index held_command_session on held_command (session_id);
