import { displayName } from '../../server/src/platform/actor.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import type { Recordings } from '../../server/src/platform/storage/recordings.ts';
import { recentDays, workingMoment } from '../calendar.ts';
import type { FilledAccounts } from '../estate/fill-accounts.ts';
import type { SampleAsset } from '../estate/fill-assets.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import type { Script } from './script.ts';
import { type ScriptedCommand, ScriptedTerminal } from './scripted-terminal.ts';
import { deploy } from './scripts/deploy.ts';
import { diskFull } from './scripts/disk-full.ts';
import { editConfig } from './scripts/edit-config.ts';
import { firewall } from './scripts/firewall.ts';
import { kubernetes } from './scripts/kubernetes.ts';
import { mysqlSlow } from './scripts/mysql-slow.ts';
import { nginxErrors } from './scripts/nginx-errors.ts';
import { orderLogs } from './scripts/order-logs.ts';
import { postgresBackup } from './scripts/postgres-backup.ts';
import { watchTop } from './scripts/top.ts';

export const SCRIPTS: readonly Script[] = [
  nginxErrors,
  orderLogs,
  diskFull,
  deploy,
  mysqlSlow,
  watchTop,
  editConfig,
  firewall,
  kubernetes,
  postgresBackup,
];

const AMOUNT = 62;
const DAYS = 21;
const SIZES = [
  [80, 24],
  [100, 30],
  [120, 32],
  [132, 40],
] as const;

/** End of a sample session. */
type Ending =
  | 'session_finished'
  | 'connect_target_closed'
  | 'session_idle'
  | 'session_terminated'
  | 'interrupted'
  | 'connect_timeout'
  | 'connect_credentials';

/** Objects for the sample sessions. */
export interface SessionSources {
  readonly people: FilledPeople;
  readonly assets: readonly SampleAsset[];
  readonly accounts: FilledAccounts;
  readonly recordings: Recordings;
}

/** Inserts past sessions with playable recordings and their commands. */
export async function fillSessions(
  tx: Tx,
  random: Random,
  now: Date,
  sources: SessionSources,
): Promise<void> {
  const sessions = Array.from({ length: AMOUNT }, (_, index) =>
    makeSession(script(index), endingOf(index), random, now, sources),
  );
  await Promise.all(
    sessions.map(({ id, startedAt, recording }) =>
      recording === undefined ? undefined : sources.recordings.add({ id, startedAt }, recording),
    ),
  );
  await insertRows(
    tx,
    'session',
    sessions.map(({ row }) => row),
  );
  await insertRows(
    tx,
    'command',
    sessions.flatMap(({ row, startedAt, commands }) =>
      commands.map(({ input, output, offsetMilliseconds }, index) => ({
        id: random.uuid(),
        org_id: '',
        session: row.id,
        sequence: index + 1,
        user: row.user,
        asset: row.asset,
        system_user: row.system_user,
        input,
        output,
        risk_level: 0,
        offset_ms: offsetMilliseconds,
        date: new Date(startedAt.getTime() + offsetMilliseconds),
      })),
    ),
  );
}

function script(index: number): Script {
  const chosen = SCRIPTS[index % SCRIPTS.length];
  if (!chosen) throw new Error('there are no scripts');
  return chosen;
}

/** Most sessions end normally. */
function endingOf(index: number): Ending {
  if (index % 19 === 7) return 'connect_timeout';
  if (index % 23 === 11) return 'connect_credentials';
  if (index % 17 === 5) return 'session_idle';
  if (index === 26) return 'session_terminated';
  if (index === 43) return 'interrupted';
  return index % 4 === 1 ? 'session_finished' : 'connect_target_closed';
}

function makeSession(
  what: Script,
  ending: Ending,
  random: Random,
  now: Date,
  { people, assets, accounts }: SessionSources,
) {
  const person = random.pick(
    [...people.accounts.values()].filter(
      ({ groups, isExpired }) => !isExpired && groups.some((group) => what.groups.includes(group)),
    ),
  );
  const asset = random.pick(
    assets.filter(
      ({ hostname, isActive }) =>
        isActive && what.hosts.some((beginning) => hostname.startsWith(beginning)),
    ),
  );
  const account = accounts.systemUsers.get(what.account);
  if (!account)
    throw new Error(`a sample session names the system user ${what.account}, which is not there`);
  const id = random.uuid();
  const startedAt = workingMoment(random, now, recentDays(random, DAYS));
  const [cols, rows] = random.pick(SIZES);
  const isOpened = ending !== 'connect_timeout' && ending !== 'connect_credentials';

  const terminal = new ScriptedTerminal({
    cols,
    rows,
    startedAt,
    title: `${account.username}@${asset.hostname}`,
    random,
  });
  if (isOpened)
    what.play(terminal, {
      hostname: asset.hostname,
      ip: asset.ip,
      username: account.username,
      os: asset.os,
      startedAt,
    });
  const commands: readonly ScriptedCommand[] = terminal.commands;
  const seconds = isOpened
    ? terminal.elapsed + (ending === 'session_idle' ? 1800 : random.fraction())
    : random.between(1, 15);
  const row = {
    id,
    org_id: '',
    user: displayName(person),
    asset: asset.hostname,
    system_user: `${what.account}(${account.username})`,
    user_id: person.id,
    asset_id: asset.id,
    system_user_id: account.id,
    login_from: 'WT',
    remote_addr: `${person.address}.${20 + ((person.username.length * 7) % 180)}`,
    protocol: 'ssh',
    is_success: isOpened,
    is_finished: true,
    has_replay: isOpened,
    replay_state: isOpened ? (ending === 'interrupted' ? 'recovered' : 'finished') : 'none',
    command_amount: commands.length,
    end_reason: ending,
    date_start: startedAt,
    date_end: new Date(startedAt.getTime() + Math.round(seconds * 1000)),
  };
  return { id, startedAt, row, commands, recording: isOpened ? terminal.recording : undefined };
}
