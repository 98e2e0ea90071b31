-- Time of the last progress of an upload. A new session of the user may continue an upload that
-- another session has open but that no longer grows, such as one whose client lost its network.
alter table kept_upload add column date_saved timestamptz not null default now();
