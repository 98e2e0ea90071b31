-- Whether people work in the session in a terminal, which colleagues may be invited into.
alter table session add column takes_guests boolean not null default false;
update session set takes_guests = true where not is_finished and login_from = 'WT' and replay_state = 'recording';
