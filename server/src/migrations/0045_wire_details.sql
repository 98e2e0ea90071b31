-- Whether an asset can be reached, as the last test found: 0 no, 1 yes, 2 unknown.
alter table asset add column connectivity_status smallint not null default 2 check (connectivity_status in (0, 1, 2));
alter table asset add column connectivity_date timestamptz;

-- Existing clients show it as a text.
alter table asset alter column disk_info type text using disk_info::text;

-- An account without an end shows 1970 in existing clients; seventy years mean the same.
update account set date_expired = now() + interval '25550 days' where date_expired is null and role = 'Admin' and username = 'admin';
