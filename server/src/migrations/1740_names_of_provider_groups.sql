-- Each name of a group that a source has reported once, with the key that mappings compare: folding
-- the names of all users takes seconds. Names may be too long for an index, so indexes have digests.
create table provider_group_name (
  source text not null,
  name text not null,
  key text not null
);
create unique index provider_group_name_name on provider_group_name (source, md5(name));
create index provider_group_name_key on provider_group_name (source, md5(key));

create function group_key(source text, name text) returns text
immutable parallel safe language sql as $$
  select case when source = 'ldap' then folded_dn(name) else name end
$$;

create function keep_provider_group_names() returns trigger language plpgsql as $$
begin
  insert into provider_group_name (source, name, key)
  select c.source, c.name, group_key(c.source, c.name)
  from (select distinct r.source, g.name from reported r cross join unnest(r.groups) g (name)) c
  where not exists (select 1 from provider_group_name n
    where n.source = c.source and md5(n.name) = md5(c.name))
  on conflict do nothing;
  return null;
end $$;
create trigger provider_group_names_of_new after insert on provider_groups
  referencing new table as reported for each statement execute function keep_provider_group_names();
create trigger provider_group_names_of_changed after update on provider_groups
  referencing new table as reported for each statement execute function keep_provider_group_names();

insert into provider_group_name (source, name, key)
select source, name, group_key(source, name)
from (select distinct p.source, g.name from provider_groups p cross join unnest(p.groups) g (name)) c
on conflict do nothing;

-- Users are found by the digests of their groups.
create function group_digests(names text[]) returns bigint[]
immutable parallel safe language sql as $$
  select coalesce(array_agg(hashtextextended(n, 0)), '{}') from unnest(names) n
$$;
create index provider_groups_groups on provider_groups using gin (group_digests(groups));

-- The name of a mapping may be as long.
drop index group_mapping_group;
create index group_mapping_group on group_mapping (source, md5(provider_group));
