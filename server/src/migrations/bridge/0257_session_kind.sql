-- What people did in a session, as clients ask for it; earlier rows get it by their protocol and by what they left.
alter table session add column kind text not null default 'terminal' check (kind in ('terminal', 'transfer', 'query', 'desktop'));
update session set kind = case when protocol in ('rdp', 'vnc') then 'desktop' else 'query' end where protocol in ('rdp', 'vnc', 'mysql', 'postgresql', 'redis');
update session s set kind = 'transfer'
where s.kind = 'terminal' and s.replay_state = 'none' and s.command_amount = 0 and exists (select from ftp_log f where f.session = s.id);

-- A statement that its database answered with an error.
alter table command add column is_failed boolean not null default false;
update command set is_failed = true where error is not null;
