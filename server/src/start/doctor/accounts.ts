import {
  HAS_NAMESAKE,
  HOLDER_ELSEWHERE,
  HOLDER_WITH_OLD_KEYS,
} from '../../features/identity/index.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { COMMAND } from '../../platform/release.ts';
import { type Finding, warning } from './finding.ts';

/** Maximum names in a finding. */
const MOST_NAMES = 20;

interface Rule {
  readonly condition: Sql;
  readonly problem: (names: string) => string;
  readonly remedy: string;
}

const RULES: readonly Rule[] = [
  {
    condition: HAS_NAMESAKE,
    problem: (names) =>
      `Usernames differ in letter case only: ${names}. Each signs in by its exact name`,
    remedy: 'Rename one account of each pair on the page Users. Then any letter case signs in',
  },
  {
    condition: HOLDER_ELSEWHERE,
    problem: (names) =>
      `Holders of a duty are no local accounts or have no second factor: ${names}`,
    remedy: `Let them set up a second factor. For a local account: ${COMMAND} user reset-password NAME`,
  },
  {
    condition: HOLDER_WITH_OLD_KEYS,
    problem: (names) =>
      `Holders of a duty have a password, passkeys, SSH keys or API keys that another user may have set before the duty: ${names}`,
    remedy:
      'Let them change their password and replace passkeys, SSH keys and API keys from before the upgrade',
  },
];

/** Names the accounts of earlier versions that today's rules would refuse. */
export async function examineAccounts(db: Db): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { condition, problem, remedy } of RULES) {
    const names = await namesOf(condition, db);
    if (names) findings.push(warning('accounts', problem(names), remedy));
  }
  return findings;
}

/** Returns the usernames of the accounts `t` of a condition; blank for none. */
async function namesOf(condition: Sql, db: Db): Promise<string> {
  const { rows } = await sql<{ username: string }>`
    select t.username from account t where ${condition}
    order by folded_name(t.username), t.username limit ${MOST_NAMES + 1}`.execute(db);
  const names = rows.slice(0, MOST_NAMES).map(({ username }) => username);
  return [...names, ...(rows.length > MOST_NAMES ? ['…'] : [])].join(', ');
}
