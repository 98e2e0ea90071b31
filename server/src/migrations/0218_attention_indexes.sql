-- Few rows of many, and asked for whenever somebody opens the dashboard.
create index asset_unreachable on asset (org_id) where is_active and connectivity_status = 0;
create index system_user_push_failed on system_user_push (system_user_id) where state = 'failed';
