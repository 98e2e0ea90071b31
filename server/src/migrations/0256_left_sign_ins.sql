-- When the page of a waiting sign-in went away: it is given up unless the page comes back within seconds, as after a reload.
alter table pending_sign_in add column date_left timestamptz;
