import type { Loader } from './loader.ts';
import { SIZES } from './sizes.ts';

/** Past sessions over one year; a few people and servers have many of them. */
export async function addSessions({ run, withoutIndexes }: Loader): Promise<void> {
  await withoutIndexes(['session'], async () => {
    await run(
      `insert into session (org_id, "user", asset, "system_user", user_id, asset_id, system_user_id,
        login_from, remote_addr, protocol, is_success, is_finished,
         has_replay, replay_state, command_amount, end_reason, date_start, date_end)
       select '', u.name || '(' || u.username || ')', a.hostname, s.name || '(' || s.username ||
         ')', u.id::text, a.id::text, s.id::text,
         case when i % 4 = 0 then 'ST' else 'WT' end, '192.168.' || pg_temp.pick(i * 8, 250) || '.'
           || pg_temp.pick(i * 8 + 1, 250), 'ssh', true, true,
         true, 'finished', pg_temp.pick(i * 8 + 2, 40), 'session_finished', began.at,
           began.at + make_interval(secs => pg_temp.pick(i * 8 + 3, 7200))
       from generate_series(1, $1::integer) i
         cross join lateral (select now() - make_interval(secs => 7200 +
           (i - 0.5 * (pg_temp.pick(i * 8 + 4, 100) / 100.0)) * 31e6 / $1::integer)) began (at)
         join picked_user u on u.n = 1 + floor(power(pg_temp.pick(i * 8 + 5, 100000) / 100001.0,
           2) * $2::integer)::integer
         join picked_asset a on a.n = 1 + floor(power(pg_temp.pick(i * 8 + 6, 1000000) / 1000001.0,
           2) * $3::integer)::integer
         join picked_account s on s.n = pg_temp.pick(i * 8 + 7, $4::integer)`,
      [SIZES.sessions, SIZES.users, SIZES.assets, SIZES.systemUsers],
    );
  });
}

/**
 * Times of last use of permissions, over one year. Every fourth permission is unused. Two of three
 * users have used the others, at half of the places. `addSessions` ignores permissions.
 */
export async function addUses({ run, withoutIndexes }: Loader): Promise<void> {
  await withoutIndexes(['permission_use'], () =>
    run(
      `insert into permission_use (permission_id, user_id, asset_id, node_id, last_used)
       select r.id, person.user_id, place.asset_id, place.node_id,
         now() - make_interval(days => abs(hashtext(person.user_id::text || place.id::text)) % 365)
       from picked_rule r
         join (select asset_permission_id as id, user_id from asset_permission_users
           union select link.asset_permission_id, member.user_id
             from asset_permission_user_groups link
             join user_group_users member on member.user_group_id = link.user_group_id) person
               on person.id = r.id and hashtext(person.user_id::text || r.n) % 3 <> 0
         join (select asset_permission_id as rule, asset_id as id, asset_id, null::uuid as node_id
           from asset_permission_assets
           union all select asset_permission_id, node_id, null, node_id
             from asset_permission_nodes) place on place.rule = r.id
             and hashtext(place.id::text || r.n) % 2 <> 0
       where r.n % 4 <> 0`,
    ).then(() => undefined),
  );
}
