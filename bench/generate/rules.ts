import type { Loader } from './loader.ts';
import { LEVELS, ROOT_USER, SIZES } from './sizes.ts';

/**
 * Asset permissions: two of five name one or two users, the others a group; they reach up to twelve
 * assets, or up to three nodes (mostly low in the tree, one of fifty a region or a site), or both.
 * One of twenty is switched off, one of twenty has expired, some end soon. One rule grants the root
 * of the tree to one user.
 */
export async function addRules({ run, withoutIndexes }: Loader): Promise<void> {
  await withoutIndexes(
    [
      'asset_permission',
      'asset_permission_users',
      'asset_permission_user_groups',
      'asset_permission_assets',
      'asset_permission_nodes',
      'asset_permission_system_users',
    ],
    async () => {
      await run(
        `insert into asset_permission (org_id, name, is_active, actions, date_start, date_created,
          date_expired)
         select '', 'Rule ' || lpad(i::text, 5, '0'), pg_temp.pick(i * 40, 20) > 1,
           case when pg_temp.pick(i * 40 + 1, 3) = 1 then 1 else 255 end,
           now() - interval '1 year', now() - interval '1 year',
           case when pg_temp.pick(i * 40 + 2, 20) = 1 then now() - interval '1 day'
             else now() + make_interval(days => 1 + pg_temp.pick(i * 40 + 3, 3650)) end
         from generate_series(1, $1::integer) i`,
        [SIZES.rules],
      );
      await run(
        `create temp table picked_rule as select id, row_number() over (order by name)::integer as n
          from asset_permission`,
      );
      await run('analyze picked_rule');
      await run(
        `insert into asset_permission_users select distinct r.id, u.id from picked_rule r
          cross join generate_series(1, 2) turn
           join picked_user u on u.n = pg_temp.pick(r.n * 40 + 3 + turn, $1::integer)
             where r.n % 5 < 2`,
        [SIZES.users],
      );
      await run(
        `insert into asset_permission_user_groups select r.id, g.id from picked_rule r
          join picked_group g on g.n = pg_temp.pick(r.n * 40 + 6, $1::integer) where r.n % 5 >= 2`,
        [SIZES.groups],
      );
      await run(
        `insert into asset_permission_assets select distinct r.id, a.id from picked_rule r
          cross join generate_series(1, 12) turn
           join picked_asset a on a.n = pg_temp.pick(r.n * 40 + 6 + turn, $1::integer)
             where r.n % 3 <> 1 and turn <= pg_temp.pick(r.n * 40 + 19, 12)`,
        [SIZES.assets],
      );
      await run(
        `insert into asset_permission_nodes select distinct r.id, node.id from picked_rule r
          cross join generate_series(1, 3) turn
           cross join lateral (select case when pg_temp.pick(r.n * 40 + 20 + turn, 50) = 1 then
             1 + turn % 2 else 3 + pg_temp.pick(r.n * 40 + 23 + turn, 2) end as level) level
           join picked_node node on node.level = level.level
             and node.n = pg_temp.pick(r.n * 40 + 26 + turn,
             ($1::integer[])[level.level])
         where r.n % 3 <> 2 and turn <= pg_temp.pick(r.n * 40 + 30, 3)`,
        [LEVELS],
      );
      await run(
        `insert into asset_permission_system_users select distinct r.id, s.id from picked_rule r
          cross join generate_series(1, 3) turn
           join picked_account s on s.n = pg_temp.pick(r.n * 40 + 30 + turn, $1::integer)
             where turn <= pg_temp.pick(r.n * 40 + 34, 3)`,
        [SIZES.systemUsers],
      );
      await run(
        `with rule as (
           insert into asset_permission (org_id, name, date_expired)
             values ('', 'Everything', now() + interval '10 years') returning id
         ), named as (
           insert into asset_permission_users select rule.id, u.id from rule, picked_user u
             where u.username = $1
         ), place as (
           insert into asset_permission_nodes select rule.id, n.id from rule, node n
             where n.org_id = '' and n.parent_id is null
         )
         insert into asset_permission_system_users select rule.id, s.id from rule, picked_account s
           where s.n <= 3`,
        [ROOT_USER],
      );
    },
  );
  await addDatabases({ run });
  for (const table of ['users', 'user_groups', 'assets', 'nodes'])
    await run(`update asset_permission_${table} set date_added = now() - interval '1 year'`);
  await run('update grant_version set version = version + 1');
}

/**
 * Databases, and permissions about them: half of them name one or two users, the others a group;
 * each names up to twelve databases and three system users for MySQL.
 */
async function addDatabases({ run }: Pick<Loader, 'run'>): Promise<void> {
  await run(
    `insert into database_app (name, type, host) select 'Database ' || lpad(i::text, 5, '0'),
      'mysql', 'db-' || i || '.example.com' from generate_series(1, $1::integer) i`,
    [SIZES.databases],
  );
  await run(
    `insert into system_account (name, username, protocol)
      select 'MySQL ' || i, 'reader' || i, 'mysql' from generate_series(1, $1::integer) i`,
    [SIZES.databaseAccounts],
  );
  await run(
    `insert into database_app_permission (name, is_active, date_start, date_expired)
     select 'Databases ' || lpad(i::text, 5, '0'), i % 20 > 0, now() - interval '1 year',
       now() + make_interval(days => i % 3650 - 100) from generate_series(1, $1::integer) i`,
    [SIZES.databaseRules],
  );
  await run(
    `create temp table picked_use as select id, row_number() over (order by name)::integer as n
      from database_app_permission`,
  );
  await run(
    `create temp table picked_database as select id, row_number() over (order by name)::integer as n
      from database_app`,
  );
  await run(
    `insert into database_app_permission_users (database_app_permission_id, user_id)
      select distinct r.id, u.id from picked_use r cross join generate_series(1, 2) turn
       join picked_user u on u.n = pg_temp.pick(r.n * 40 + turn, $1::integer) where r.n % 2 = 0`,
    [SIZES.users],
  );
  await run(
    `insert into database_app_permission_user_groups (database_app_permission_id, user_group_id)
      select r.id, g.id from picked_use r
       join picked_group g on g.n = pg_temp.pick(r.n * 40 + 3, $1::integer) where r.n % 2 = 1`,
    [SIZES.groups],
  );
  await run(
    `insert into database_app_permission_database_apps (database_app_permission_id, database_app_id)
      select distinct r.id, d.id from picked_use r cross join generate_series(1, 12) turn
       join picked_database d on d.n = pg_temp.pick(r.n * 40 + 4 + turn, $1::integer)`,
    [SIZES.databases],
  );
  await run(
    `insert into database_app_permission_system_users (database_app_permission_id, system_user_id)
      select distinct r.id, s.id from picked_use r cross join generate_series(1, 3) turn
       join (select id, row_number() over (order by name)::integer as n from system_account
         where protocol = 'mysql' and name like 'MySQL %') s
         on s.n = pg_temp.pick(r.n * 40 + 20 + turn, $1::integer)`,
    [SIZES.databaseAccounts],
  );
}
