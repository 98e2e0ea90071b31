import { HAS_NAMESAKE, HOLDER_ELSEWHERE } from '../../features/identity/index.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { COMMAND } from '../../platform/release.ts';
import { type Finding, warning } from './finding.ts';

/** Maximum names in a finding. */
const MOST_NAMES = 20;

/** Names the accounts of earlier versions that today's rules would refuse. */
export async function examineAccounts(db: Db): Promise<Finding[]> {
  const [namesakes, holders] = [
    await namesOf(HAS_NAMESAKE, db),
    await namesOf(HOLDER_ELSEWHERE, db),
  ];
  return [
    ...(namesakes
      ? [
          warning(
            'accounts',
            `Usernames differ in letter case only: ${namesakes}. Each signs in by its exact name`,
            'Rename one account of each pair on the page Users. Then any letter case signs in',
          ),
        ]
      : []),
    ...(holders
      ? [
          warning(
            'accounts',
            `Holders of a duty are no local accounts or have no second factor: ${holders}`,
            `Let them set up a second factor. For a local account: ${COMMAND} user reset-password NAME`,
          ),
        ]
      : []),
  ];
}

/** Returns the usernames of the accounts `t` of a condition; blank for none. */
async function namesOf(condition: Sql, db: Db): Promise<string> {
  const { rows } = await sql<{ username: string }>`
    select t.username from account t where ${condition}
    order by folded_name(t.username), t.username limit ${MOST_NAMES + 1}`.execute(db);
  const names = rows.slice(0, MOST_NAMES).map(({ username }) => username);
  return [...names, ...(rows.length > MOST_NAMES ? ['…'] : [])].join(', ');
}
