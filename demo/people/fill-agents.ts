import { decide } from '../../server/src/features/agents/index.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { SHOP_PLACE } from '../database/fill.ts';
import { PLAYGROUND_USERNAME } from '../estate/fill-accounts.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import type { FilledPeople } from './fill-people.ts';

const HOST = 'demo-shell';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Calls of the sample agent, each a minute after the one before. */
const CALLS = [
  { input: 'df -h', reason: '查看哪个磁盘已满', output_bytes: 412 },
  { input: 'du -sh /var/log', reason: '日志可能占用空间', output_bytes: 17 },
  { input: 'rm -rf /var/log/nginx', reason: '释放空间', output_bytes: 0 },
  {
    input: 'tail -n 20 /var/log/nginx/error.log',
    reason: '查看日志增长的原因',
    output_bytes: 1_930,
  },
];

/** A statement of the sample agent, after its commands. */
const STATEMENT = {
  tool: 'query',
  host: SHOP_PLACE.name,
  account: SHOP_PLACE.account,
  input: 'select count(*) from orders',
  reason: '核对日志中的订单数量',
  output_bytes: 18,
};

/** The leash, which decides the calls. */
const LEASH = {
  hosts: HOST,
  accounts: `${PLAYGROUND_USERNAME}\n${SHOP_PLACE.account}`,
  command_mode: 'listed',
  commands: 'df -h\ndu -sh /var/*\nls -l /var/log\ntail -n * /var/log/nginx/*',
  databases: SHOP_PLACE.name,
  statements: 'read',
  denied: '',
} as const;

function decided(input: string) {
  const verdict = decide(LEASH, input);
  return 'line' in verdict
    ? { state: 'done', exit_code: 0, detail: '' }
    : { state: 'refused', exit_code: null, detail: verdict.refusal };
}

/** Inserts an agent of the demo user whose time has passed, with its calls. */
export async function fillAgents(
  tx: Tx,
  random: Random,
  now: Date,
  { accounts }: FilledPeople,
): Promise<void> {
  const owner = accounts.get('demo');
  if (!owner) return;
  const id = random.uuid();
  const start = now.getTime() - 3 * HOUR;
  const at = (minutes: number) => new Date(start + minutes * MINUTE).toISOString();
  const place = { tool: 'run', host: HOST, account: PLAYGROUND_USERNAME };
  const calls = [
    ...CALLS.map((call) => ({ ...place, ...call, ...decided(call.input) })),
    { ...STATEMENT, state: 'done', exit_code: null, detail: '' },
  ];
  await insertRows(tx, 'agent', [
    {
      id,
      user_id: owner.id,
      name: 'disk-check',
      client: 'Claude Code',
      task: '找出体验区主机磁盘写满的原因，不修改任何文件',
      ...LEASH,
      minutes: 60,
      max_commands: 20,
      max_kib: 256,
      used_commands: calls.filter(({ state }) => state === 'done').length,
      used_bytes: calls.reduce((sum, { output_bytes: bytes }) => sum + bytes, 0),
      used_rows: 1,
      sign_in_id: random.uuid(),
      date_created: at(0),
      date_expired: at(60),
      ended_by: '',
      date_last_used: at(calls.length),
    },
  ]);
  await insertRows(
    tx,
    'agent_call',
    calls.map((call, index) => ({
      id: random.uuid(),
      agent_id: id,
      user_id: owner.id,
      session_id: '',
      ...call,
      date_start: at(index + 1),
      date_end: at(index + 1),
    })),
  );
}
