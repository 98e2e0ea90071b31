-- When the source of an account last made it inactive. The limit of a day counts these accounts,
-- whatever became of them since.
alter table account add column date_shut_by_source timestamptz;
create index account_shut_lately on account (source, date_shut_by_source)
  where date_shut_by_source is not null;

-- `date_confirmed`: an administrator confirmed a held read; the limit counts from then on.
-- `held_recent`: users that lost access within the day before a held read.
alter table directory_reading
  add column date_confirmed timestamptz,
  add column held_recent integer;

-- Until now SCIM enabled every account that it had disabled, so it may go on with these.
update account a set shut_by_source = true, source_state = 'disabled', date_source_state = now()
from scim_user u
where u.user_id = a.id and a.source <> 'local' and not a.is_active and not a.shut_by_source;
