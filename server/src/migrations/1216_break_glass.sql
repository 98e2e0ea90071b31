-- An organization can let an administrator apply an own change set at once, for emergencies. Another
-- administrator reviews it afterwards.
alter table change_control add column allows_break_glass boolean not null default false;

alter table change_set
  add column is_emergency boolean not null default false,
  add column reviewer_id uuid,
  add column reviewer_name text not null default '',
  add column review_comment text not null default '',
  add column date_reviewed timestamptz,
  drop constraint change_set_second_administrator,
  add constraint change_set_second_administrator check (state not in ('applying', 'applied')
    or decider_id is distinct from proposer_id or (is_emergency and not turns_off)),
  add constraint change_set_reviewed check (reviewer_id is null
    or (is_emergency and state = 'applied' and reviewer_id <> proposer_id));

-- A proposal is immutable, and a decision is final. An emergency is reviewed once.
create or replace function change_set_fixed() returns trigger language plpgsql as $$
declare
  review text[] := '{reviewer_id,reviewer_name,review_comment,date_reviewed}';
begin
  if old.state = 'previewing' and new.state = 'proposed' and not new.is_emergency then
    return new;
  end if;
  if old.state = 'applied' and old.is_emergency and old.reviewer_id is null
    and new.reviewer_id is not null and to_jsonb(old) - review = to_jsonb(new) - review then
    return new;
  end if;
  if (old.org_id, old.reason, old.changes, old.turns_off, old.proposer_id)
      is distinct from (new.org_id, new.reason, new.changes, new.turns_off, new.proposer_id)
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

alter table notification drop constraint notification_kind_check,
  add constraint notification_kind_check check (kind in ('ticket_asked', 'ticket_approved',
    'ticket_rejected', 'ticket_closed', 'emergency_opened', 'emergency_ended',
    'second_person_asked', 'change_proposed', 'change_applied', 'change_rejected',
    'change_emergency', 'access_ends', 'access_ended', 'job_failed'));
