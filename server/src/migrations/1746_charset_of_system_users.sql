-- The charset of an account on its assets; empty: that of the platform.
alter table system_account add column charset text not null default ''
  check (charset in ('', 'utf8', 'gbk'));
