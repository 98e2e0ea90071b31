-- Reading the LDAP directory and importing its people are jobs now. What was read is read again when it is asked for.
insert into job (id, name, state, attempt, date_created, date_started, date_finished, problem, result)
select gen_random_uuid(), 'ldap-import', case when reason = '' then 'succeeded' else 'failed' end, 1, date_begun, date_begun, coalesce(date_done, date_begun),
  case when reason = '' then null else jsonb_build_object('code', 'directory_failed', 'params', jsonb_build_object('step', 'LDAP', 'reason', reason)) end,
  jsonb_build_object('created', created, 'updated', updated, 'unchanged', unchanged, 'refused', refused)
from ldap_periodic where date_begun is not null;
drop table ldap_periodic;
drop table ldap_sync;
delete from ldap_person;
