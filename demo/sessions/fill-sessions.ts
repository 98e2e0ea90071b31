import { displayName } from '../../server/src/platform/actor.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import type { Recordings } from '../../server/src/platform/storage/recordings.ts';
import { recentDays, workingMoment } from '../calendar.ts';
import type { FilledAccounts } from '../estate/fill-accounts.ts';
import type { SampleAsset } from '../estate/fill-assets.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import { perform, RECORDINGS, type Recording } from './recordings.ts';

const AMOUNT = 62;
const DAYS = 21;
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
    makeSession(index, random, now, sources),
  );
  await Promise.all(
    sessions.map(({ id, startedAt, cast }) =>
      cast === undefined ? undefined : sources.recordings.add({ id, startedAt }, cast),
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
      commands.map(({ input, output, seconds }, index) => ({
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
        offset_ms: Math.round(seconds * 1_000),
        date: new Date(startedAt.getTime() + Math.round(seconds * 1_000)),
      })),
    ),
  );
}

function recordingOf(index: number): Recording {
  const recording = RECORDINGS[index % RECORDINGS.length];
  if (!recording) throw new Error('there are no recordings');
  return recording;
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
  index: number,
  random: Random,
  now: Date,
  { people, assets, accounts }: SessionSources,
) {
  const [what, ending] = [recordingOf(index), endingOf(index)];
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
  const isOpened = ending !== 'connect_timeout' && ending !== 'connect_credentials';
  const pace = 0.85 + random.fraction() * 0.4;
  const played = isOpened
    ? perform(what, { hostname: asset.hostname, startedAt, pace })
    : undefined;
  const commands = played?.commands ?? [];
  const seconds = played
    ? played.seconds + (ending === 'session_idle' ? 1800 : random.fraction())
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
  return { id, startedAt, row, commands, cast: played?.cast };
}
