-- Numbers of the secrets that were masked in what is kept of a session, by kind; never a value.
alter table session add column masked_secrets jsonb not null default '{}';
