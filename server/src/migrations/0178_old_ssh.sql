-- Whether servers of a platform may be spoken to with outdated SSH algorithms.
alter table platform add column old_ssh boolean not null default false;
-- The outdated algorithms that a session used, in the order of the handshake; null for none.
alter table session add column old_algorithms text;
