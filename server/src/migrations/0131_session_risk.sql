-- The highest risk of the commands of a session, and whether a command was stopped before the server got it.
alter table session add column risk_level integer not null default 0;
alter table command add column is_denied boolean not null default false;
update session s set risk_level = worst.level
from (select session, max(risk_level) as level from command where risk_level > 0 group by session) worst where worst.session = s.id;
create index session_risk on session (org_id, risk_level desc, date_start desc) where risk_level > 0;
create index command_risk on command (org_id, risk_level desc, date desc) where risk_level > 0;
