import type { Loader } from './loader.ts';
import { SIZES } from './sizes.ts';

/** Users (all with one password), groups with some fifteen of them each, and system users. */
export async function addPeople({ run }: Loader, passwordHash: string): Promise<void> {
  await run(
    `insert into account (name, username, email, password, role, is_first_login)
     select 'User ' || i, 'user' || lpad(i::text, greatest(4, length(i::text)), '0'),
       'user' || i || '@example.com', $1, 'User', false from generate_series(1, $2::integer) i`,
    [passwordHash, SIZES.users],
  );
  await run(
    `insert into user_group (org_id, name) select '', 'Team ' || i
      from generate_series(1, $1::integer) i`,
    [SIZES.groups],
  );
  await run(
    `insert into system_account (org_id, name, username, priority, login_mode, auto_push)
     select '', 'account-' || i, (array['root', 'deploy', 'dba', 'www', 'ops'])[1 + i % 5],
       1 + i % 100, 'auto', false from generate_series(1, $1::integer) i`,
    [SIZES.systemUsers],
  );
  await run(
    `create temp table picked_user as select id, username, name,
      row_number() over (order by username)::integer as n
        from account where username ~ '^user[0-9]+$'`,
  );
  await run(
    `create temp table picked_group as select id, row_number() over (order by name)::integer as n
      from user_group`,
  );
  await run(
    `create temp table picked_account as select id, name, username,
      row_number() over (order by name)::integer as n from system_account`,
  );
  for (const table of ['picked_user', 'picked_group', 'picked_account']) {
    await run(`create index on ${table} (n)`);
    await run(`analyze ${table}`);
  }
  await run(
    `insert into user_group_users (user_group_id, user_id)
     select distinct g.id, u.id from generate_series(1, 3) turn, picked_user u join picked_group g
       on true
     where g.n = pg_temp.pick(u.n * 10 + turn, $1::integer)`,
    [SIZES.groups],
  );
}
