-- Change control covers the place of an asset where a permission names the node: an asset that joins
-- the node is granted at once. An asset joins by its own nodes or with a node that moves, so the rows
-- of `asset_ancestor` decide. Taking an asset out of a node only takes access away and stays free.
-- A permission for the root of an organization means all assets, also later ones: creating them
-- stays free.

-- Returns true if a permission, a rule of emergency access or a waiting change set names a node.
create function is_node_granted(organization text, node uuid) returns boolean language sql stable as $$
  select exists (select 1 from asset_permission_nodes l where l.node_id = node)
    or exists (select 1 from emergency_access_nodes l where l.node_id = node)
    or is_proposed(organization, array[node])
$$;

-- Returns the places that a statement has taken away so far. The same statement may put an asset
-- back there, as when it changes the places below a node. A later statement of the transaction may
-- not: the asset was free in between.
create function places_left(statement text) returns text[] language sql stable as $$
  select case when kept ->> 'statement' = statement
    then array(select jsonb_array_elements_text(kept -> 'places')) else '{}'::text[] end
  from (select coalesce(nullif(current_setting('sallyport.places_left', true), ''), '{}')::jsonb) at (kept)
$$;

create function keep_places_left() returns trigger language plpgsql as $$
declare
  statement text := extract(epoch from statement_timestamp())::text;
begin
  if exists (select 1 from change_control) then
    perform set_config('sallyport.places_left', jsonb_build_object('statement', statement,
      'places', places_left(statement) || array(select node_id || ' ' || asset_id from changed))::text,
      true);
  end if;
  return null;
end $$;
create trigger change_control_keeps after delete on asset_ancestor
  referencing old table as changed for each statement execute function keep_places_left();

create function guard_place() returns trigger language plpgsql as $$
declare
  left_now text[];
  organization text;
begin
  if not exists (select 1 from change_control) then
    return null;
  end if;
  left_now := places_left(extract(epoch from statement_timestamp())::text);
  for organization in
    select distinct n.org_id from changed join node n on n.id = changed.node_id
      join change_control c on c.org_id = n.org_id
  loop
    -- The lock comes first: the next statement sees a permission that was decided meanwhile.
    if must_be_proposed(organization, 'INSERT') and exists (
      select 1 from (
        select distinct n.id from changed join node n on n.id = changed.node_id
        where n.org_id = organization and n.parent_id is not null
          and changed.node_id || ' ' || changed.asset_id not in (select unnest(left_now))) joined
      where is_node_granted(organization, joined.id))
    then
      perform refuse_change();
    end if;
  end loop;
  return null;
end $$;
create trigger change_control after insert on asset_ancestor
  referencing new table as changed for each statement execute function guard_place();
