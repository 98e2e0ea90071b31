-- The storage that was chosen for all servers. Servers that register later take it.
alter table replay_storage add column is_for_all boolean not null default false;
-- A second bucket, which gets the recordings of this one as well.
alter table replay_storage add column second_id uuid references replay_storage (id);
create index replay_storage_second on replay_storage (second_id);
