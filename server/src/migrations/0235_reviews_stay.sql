-- A user whose reviewers are all gone still needs a review; only administrators end that.
update login_confirm_setting s set is_active = false
where not exists (select 1 from login_confirm_setting_reviewers r where r.user_id = s.user_id);

-- The default organization is no row that a receiver could name.
alter table event_receiver add column default_organization boolean not null default false;
