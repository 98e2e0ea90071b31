-- A machine that has joined as a site stays the one: whoever may write this table cannot put another
-- one in its place. A site that is deleted takes its identity along.
create function keep_site_identity() returns trigger language plpgsql as $$
begin
  if old.public_key is not null and old.public_key is distinct from new.public_key then
    raise exception 'the identity of a site is never replaced';
  end if;
  return new;
end $$;
create trigger keep_site_identity before update on site_identity for each row
  execute function keep_site_identity();
