-- Minutes within which a second factor must have been proved to connect by a rule; 0: none is asked for.
alter table asset_permission add column mfa_minutes integer not null default 0 check (mfa_minutes between 0 and 1440);
-- Whether a connection needed one, and whether it was asked for or had been proved before.
alter table session add column second_factor text not null default 'none' check (second_factor in ('none', 'recent', 'asked'));
