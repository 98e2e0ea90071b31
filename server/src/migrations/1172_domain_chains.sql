-- A domain behind another one: its gateways are reached through the gateways of that domain.
alter table domain add column through_id uuid references domain (id) on delete set null;
create index domain_through on domain (through_id) where through_id is not null;

-- A domain (level 0) and those that it is reached through, nearest first.
create function domain_route(start uuid) returns table (domain_id uuid, level integer)
  language sql stable strict
  as $$
    with recursive step as (
      select d.id, d.through_id, 0 as level from domain d where d.id = start
      union all
      select d.id, d.through_id, step.level + 1 from step join domain d on d.id = step.through_id
        where step.level < 2
    )
    select id, level from step
  $$;
