import type { Loader } from './loader.ts';
import { LEVELS, SIZES } from './sizes.ts';

/**
 * Assets with admin users, domains and labels, on the lower levels of the tree; every tenth hangs
 * on a second node.
 */
export async function addAssets({ run, withoutIndexes }: Loader): Promise<void> {
  await run(
    `insert into admin_user (org_id, name, username) select '', 'admin-' || i, 'root'
      from generate_series(1, 10) i`,
  );
  await run(
    `insert into domain (org_id, name) select '', 'Domain ' || i from generate_series(1, 20) i`,
  );
  await run(
    `insert into label (org_id, name, value) select '', 'env', v
      from unnest(array['production', 'staging', 'test', 'development']) v`,
  );
  await run(
    `create temp table numbered_admin as select id, row_number() over (order by name)::integer as n
      from admin_user`,
  );
  await run(
    `create temp table numbered_domain as select id, row_number() over (order by name)::integer as n
      from domain`,
  );
  await run(
    `create temp table numbered_label as select id, row_number() over (order by value)::integer as n
      from label`,
  );
  await withoutIndexes(['asset', 'node_assets', 'label_assets', 'asset_ancestor'], async () => {
    await run(
      `insert into asset (org_id, hostname, ip, platform, comment, is_active, cpu_count, memory,
        disk_total, os, admin_user_id, domain_id)
       select '',
         (array['web', 'app', 'db', 'cache', 'queue', 'proxy', 'build', 'backup', 'search',
           'mail'])[pg_temp.pick(i * 10, 10)] || '-' ||
         (array['prod', 'stage', 'test', 'dev'])[pg_temp.pick(i * 10 + 1, 4)] || '-' ||
         (array['bj', 'sh', 'gz', 'sz', 'hk', 'sg', 'fra', 'lon', 'nyc', 'sfo'])[
           pg_temp.pick(i * 10 + 2, 10)] || '-' ||
           lpad(i::text, greatest(6, length(i::text)), '0'),
         '10.' || (i >> 16) || '.' || ((i >> 8) & 255) || '.' || (i & 255),
         case when pg_temp.pick(i * 10 + 3, 10) = 1 then 'Unix' else 'Linux' end,
         case when pg_temp.pick(i * 10 + 4, 4) = 1 then 'rack ' || pg_temp.pick(i * 10 + 5, 400)
           else '' end,
         pg_temp.pick(i * 10 + 6, 50) > 1, 4, '16 GB', '200 GB', 'Linux', admin.id, domain.id
       from generate_series(1, $1::integer) i
         join numbered_admin admin on admin.n = pg_temp.pick(i * 10 + 7, 10)
         left join numbered_domain domain on domain.n = pg_temp.pick(i * 10 + 8, 100)`,
      [SIZES.assets],
    );
    await run(
      `create temp table picked_asset as select id, hostname,
        row_number() over (order by hostname)::integer as n from asset`,
    );
    await run('create index on picked_asset (n)');
    await run('analyze picked_asset');
    await run(
      // Half of them on services, the rest on systems and rooms; the sharper power makes some nodes
      // crowded and leaves many empty.
      `insert into node_assets (node_id, asset_id)
       select distinct node.id, wish.asset_id from (
         select a.id as asset_id, level.level,
           1 + floor(power(pg_temp.pick(a.n * 10::bigint + turn, 100000) / 100001.0, 1.4) *
             ($1::integer[])[level.level])::integer as n
         from picked_asset a cross join generate_series(1, 2) turn
           cross join lateral (select (array[5, 5, 5, 5, 5, 4, 4, 4, 3, 2])[
             pg_temp.pick(a.n * 20::bigint + turn, 10)] as level) level
         where turn = 1 or a.n % 10 = 0
       ) wish join picked_node node on node.level = wish.level and node.n = wish.n`,
      [LEVELS],
    );
    await run(`insert into label_assets (label_id, asset_id)
      select label.id, a.id from picked_asset a
        join numbered_label label on label.n = pg_temp.pick(a.n + 7000000, 4)`);
    await run(`insert into asset_ancestor (node_id, asset_id, times)
      select above.id, held.asset_id, count(*) from node_assets held
        join node n on n.id = held.node_id
        cross join lateral unnest(n.ancestors) above (id) group by 1, 2`);
  });
  await run(
    `update node set assets_amount = counted.amount from (select node_id, count(*) as amount
      from asset_ancestor group by 1) counted where node.id = counted.node_id`,
  );
  // Every third asset has one secret and every sixth has two. Some secrets have a second version.
  await withoutIndexes(['asset_user'], async () => {
    await run(
      `insert into asset_user (org_id, asset_id, username, version, is_latest, password, created_by)
       select '', a.id, (array['root', 'deploy', 'oracle', 'backup'])[1 + account.n % 4], version.n,
         version.n = 1 + (a.n % 12 = 0)::integer, 'sealed', 'Administrator(admin)'
       from picked_asset a cross join generate_series(1, 2) account (n)
         cross join generate_series(1, 2) version (n)
       where (account.n = 1 and a.n % 3 = 0 or account.n = 2 and a.n % 6 = 0)
         and (version.n = 1 or a.n % 12 = 0)
       order by a.n limit $1::integer`,
      [SIZES.assetUsers],
    );
  });
}
