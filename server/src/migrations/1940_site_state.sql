-- When a tunnel of a site was last seen, how fast it answers and what it carries.
alter table site_identity add column date_seen timestamptz;
alter table site_tunnel
  add column round_trip_ms integer,
  add column channels integer not null default 0;
