-- A batch command has one outcome, which every page and interface reads. A host whose command was
-- ended by a cancellation is canceled, not failed.
alter table command_execution
  add column canceled_amount integer not null default 0,
  add column outcome text not null default 'queued'
    check (outcome in ('queued', 'running', 'succeeded', 'partly', 'failed', 'canceled'));

alter table command_execution_host drop constraint command_execution_host_state_check;
alter table command_execution_host add constraint command_execution_host_state_check
  check (state in ('waiting', 'running', 'succeeded', 'failed', 'canceled', 'left_out'));

-- Earlier versions told a cancellation by its reason only.
update command_execution_host h set state = 'canceled'
from command_execution e
where e.id = h.commandexecution_id and e.problem ->> 'en' = 'The batch command was canceled.'
  and h.state = 'failed'
  and h.problem ->> 'en' in ('The task was canceled.', 'The batch command was canceled.');
update command_execution e set canceled_amount = canceled.amount,
  done_amount = greatest(0, e.done_amount - canceled.amount),
  failed_amount = greatest(0, e.failed_amount - canceled.amount)
from (select commandexecution_id as id, count(*)::int as amount from command_execution_host
  where state = 'canceled' group by commandexecution_id) canceled
where e.id = canceled.id;
update command_execution set outcome = case
  when not is_finished then case when is_begun then 'running' else 'queued' end
  when problem ->> 'en' = 'The batch command was canceled.' then 'canceled'
  when problem is not null and coalesce(problem ->> 'en', '') not like 'Stopped: more than %'
    then 'failed'
  when is_success then 'succeeded'
  when failed_amount > 0 and done_amount > failed_amount then 'partly'
  else 'failed' end;

-- A cancellation that arrives after the end of the command changes nothing, so that the job and
-- the command agree.
create function keep_ended_command() returns trigger language plpgsql as $$
declare
  ended text;
begin
  select e.outcome into ended from public.command_execution e
  where e.id = new.id and e.is_finished and e.outcome <> 'canceled';
  if found then
    new.state := case ended when 'failed' then 'failed' else 'succeeded' end;
  end if;
  return new;
end $$;
create trigger keep_ended_command before update of state on job for each row
  when (new.name = 'run-command' and new.state = 'canceled' and old.state <> 'canceled')
  execute function keep_ended_command();
