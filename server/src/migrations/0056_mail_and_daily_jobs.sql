-- Mail and daily work are jobs now. Mail that waits is taken over; it was tried at most every four hours.
alter table job add committed boolean not null default false;

insert into job_request (name, input, start_after)
select 'mail', jsonb_build_object('kind', kind, 'userId', user_id, 'language', language), date_next
from mail_job where date_created > now() - interval '2 days' order by date_created;
drop table mail_job;

-- When retention and the reminders ran last, so that they are not made up for at once.
insert into job (id, name, state, attempt, date_created, date_started, date_finished)
select gen_random_uuid(), 'retention', 'succeeded', 1, date_run, date_run, date_run from housekeeping where name = 'retention';
drop table housekeeping;
insert into job (id, name, state, attempt, date_created, date_started, date_finished)
select gen_random_uuid(), 'expiry-reminders', 'succeeded', 1, day, day, day from daily_job where name = 'expiry reminders';
drop table daily_job;
