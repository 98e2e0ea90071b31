-- Tells the live sessions and those who watch them that somebody's standing may have changed: they are checked again at once.
create function standing_moved() returns trigger language plpgsql as $$
begin
  perform pg_notify('standing', '');
  return null;
end $$;

create trigger standing_moved after delete or update of role, is_active, date_expired on account for each statement execute function standing_moved();
create trigger standing_moved after insert or update or delete on organization_member for each statement execute function standing_moved();
create trigger standing_moved after delete or update of is_active on access_key for each statement execute function standing_moved();
