-- Sessions lead to assets or to applications; `asset` then is the name of the application, and `asset_id` its id.
alter table session add target_kind text not null default 'asset' check (target_kind in ('asset', 'database_app', 'remote_app'));

-- What is known of a statement, which is sent as a whole and answered as a whole. Null for what was typed at a prompt.
alter table command add row_count bigint;
alter table command add duration_ms integer;
alter table command add error text;

-- What permissions for databases allow beyond reading. Those from before allow everything.
alter table database_app_permission add actions integer not null default 255;
alter table database_app_permission add is_read_only boolean not null default false;
alter table database_app_permission add mfa_minutes integer not null default 0 check (mfa_minutes between 0 and 1440);
