-- The access request that a change set answers. Its requester decides neither the request nor the
-- change set, and no emergency replaces the second decision.
alter table change_set
  add column ticket_id uuid,
  add column requester_id uuid,
  add constraint change_set_request check ((ticket_id is null) = (requester_id is null)),
  add constraint change_set_requester check (requester_id is null or (proposer_id <> requester_id
    and not is_emergency
    and (state not in ('applying', 'applied', 'rejected')
      or decider_id is distinct from requester_id)));
create index change_set_ticket on change_set (ticket_id) where ticket_id is not null;

-- A proposal is immutable, and a decision is final. An emergency is reviewed once.
create or replace function change_set_fixed() returns trigger language plpgsql as $$
declare
  review text[] := '{reviewer_id,reviewer_name,review_comment,date_reviewed}';
begin
  if (old.org_id, old.reason, old.turns_off, old.proposer_id, old.ticket_id, old.requester_id)
      is distinct from (new.org_id, new.reason, new.turns_off, new.proposer_id, new.ticket_id,
        new.requester_id) then
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
    or old.state in ('applied', 'rejected', 'withdrawn')
    or (old.state = 'applying' and new.state <> 'applied')
    or (new.state = 'applied' and old.state <> 'applying')
    or (new.is_emergency <> old.is_emergency
      and not (new.is_emergency and new.state = 'applying' and exists (
        select 1 from change_control where org_id = new.org_id and allows_break_glass))) then
    raise exception 'a decided change set was changed';
  end if;
  return new;
end $$;
