-- The timeline of a session finds what was done with files in it.
create index ftp_log_session on ftp_log (session, date_start) where session is not null;
