-- A change set can name the time from which it applies. Between approval and this time its state is
-- `approved`. Then a job applies it once, or marks it as `failed` if the server refuses it.
alter table change_set
  add column apply_at timestamptz,
  add column date_applied timestamptz,
  -- Code and parameters of the error with which it failed.
  add column failure jsonb,
  -- Time zone of the dates in the objects before and after; null in older rows.
  add column zone text,
  drop constraint change_set_state_check,
  add constraint change_set_state_check check (state in ('previewing', 'proposed', 'approved',
    'applying', 'applied', 'failed', 'rejected', 'withdrawn')),
  drop constraint change_set_second_administrator,
  add constraint change_set_second_administrator check (
    state not in ('approved', 'applying', 'applied', 'failed')
    or decider_id is distinct from proposer_id
    or (is_emergency and not turns_off and state in ('applying', 'applied'))),
  drop constraint change_set_decided,
  add constraint change_set_decided check (
    state not in ('approved', 'applying', 'applied', 'failed', 'rejected')
    or decider_id is not null),
  drop constraint change_set_requester,
  add constraint change_set_requester check (requester_id is null or (proposer_id <> requester_id
    and not is_emergency
    and (state not in ('approved', 'applying', 'applied', 'failed', 'rejected')
      or decider_id is distinct from requester_id))),
  add constraint change_set_time check (state <> 'approved' or apply_at is not null),
  add constraint change_set_failure check ((state = 'failed') = (failure is not null));
create index change_set_due on change_set (apply_at) where state = 'approved';

-- A proposal is immutable, and a decision is final: an approved change set keeps its decider, and
-- does not apply before its time. An emergency is reviewed once.
create or replace function change_set_fixed() returns trigger language plpgsql as $$
declare
  review text[] := '{reviewer_id,reviewer_name,review_comment,date_reviewed}';
begin
  if (old.org_id, old.reason, old.turns_off, old.proposer_id, old.ticket_id, old.requester_id,
      old.apply_at, old.zone)
      is distinct from (new.org_id, new.reason, new.turns_off, new.proposer_id, new.ticket_id,
        new.requester_id, new.apply_at, new.zone) then
    raise exception 'a proposed change set was changed';
  end if;
  if old.state = 'previewing' and new.state = 'proposed' and not new.is_emergency then
    return new;
  end if;
  if old.state = 'applied' and old.is_emergency and old.reviewer_id is null
    and new.reviewer_id is not null and to_jsonb(old) - review = to_jsonb(new) - review then
    return new;
  end if;
  if old.changes is distinct from new.changes
    or old.state in ('applied', 'rejected', 'withdrawn', 'failed')
    or (old.state = 'applying' and new.state <> 'applied')
    or (new.state = 'applied' and old.state <> 'applying')
    or (new.state = 'failed' and old.state <> 'approved')
    or (old.state = 'approved' and (new.state not in ('applying', 'failed', 'withdrawn')
      or new.state = 'applying' and new.apply_at > now()
      or (old.decider_id, old.is_emergency, old.consequences)
        is distinct from (new.decider_id, new.is_emergency, new.consequences)))
    or (new.is_emergency <> old.is_emergency
      and not (new.is_emergency and new.state = 'applying' and exists (
        select 1 from change_control where org_id = new.org_id and allows_break_glass))) then
    raise exception 'a decided change set was changed';
  end if;
  return new;
end $$;
