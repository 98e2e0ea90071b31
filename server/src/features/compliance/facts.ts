import type { LocalText, PresetName } from '@sallyport/contract';
import { FIRST_ADMINISTRATOR } from '../../platform/actor.ts';
import type { Suite } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Verifier } from '../audits/index.ts';
import { backupState, drillState, isDrillLate, OLD_BACKUP_DAYS } from '../backups/index.ts';
import type { Witnesses } from '../witness/index.ts';
import { readDuties } from './duties.ts';
import type { Fact } from './fact.ts';

/** Services that facts are read from. */
export interface FactSources {
  readonly db: Db;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly verifier: Pick<Verifier, 'last' | 'isDue'>;
  readonly witnesses: Pick<Witnesses, 'state'>;
  /** Algorithms of new sealed values. */
  readonly suite: Suite;
}

/** Months without a sign-in after which an account is unused. */
const IDLE_DAYS = 90;
const DAY = 86_400_000;

/** The facts: their titles, what is wanted, and the weakest preset that wants them. */
export const FACTS = {
  https: {
    title: { en: 'Site URL', zh: '站点 URL' },
    wanted: { en: 'https', zh: 'https' },
    from: 'company',
  },
  second_factors: {
    title: {
      en: 'Administrators and auditors who have set up no second factor',
      zh: '未设置双重认证的管理员和审计员',
    },
    wanted: { en: 'None', zh: '无' },
    from: 'team',
  },
  first_password: {
    title: { en: 'Accounts with the generated first password', zh: '仍使用初始生成口令的账号' },
    wanted: { en: 'None', zh: '无' },
    from: 'team',
  },
  idle_accounts: {
    title: { en: 'Active accounts without a sign-in in 90 days', zh: '90 天未登录的有效账号' },
    wanted: { en: 'None', zh: '无' },
    from: 'company',
  },
  duties: {
    title: {
      en: 'Accounts that administer one organization and audit another or all',
      zh: '兼任管理与审计的账号',
    },
    wanted: { en: 'None', zh: '无' },
    from: 'company',
  },
  duty_system: {
    title: { en: 'System administrators', zh: '系统管理员' },
    wanted: { en: 'At least one', zh: '至少一名' },
    from: 'mlps3',
  },
  duty_security: {
    title: { en: 'Security administrators', zh: '安全管理员' },
    wanted: { en: 'At least one', zh: '至少一名' },
    from: 'mlps3',
  },
  duty_audit: {
    title: { en: 'Audit administrators', zh: '审计管理员' },
    wanted: { en: 'At least one', zh: '至少一名' },
    from: 'mlps3',
  },
  several_duties: {
    title: {
      en: 'Accounts that hold several duties, besides the first administrator',
      zh: '首个管理员以外兼任多项职责的账号',
    },
    wanted: { en: 'None', zh: '无' },
    from: 'mlps3',
  },
  recorded: {
    title: {
      en: 'Sessions of the last 7 days whose recording failed',
      zh: '近 7 天录像失败的会话',
    },
    wanted: { en: 'None', zh: '无' },
    from: 'team',
  },
  chains: {
    title: { en: 'Verification of the audit logs', zh: '审计日志校验' },
    wanted: { en: 'Intact, at most three days ago', zh: '三天内校验完整' },
    from: 'team',
  },
  witness: {
    title: { en: 'Outside witness of the audit logs', zh: '审计日志的外部见证' },
    wanted: { en: 'Configured, no signature missing', zh: '已配置且无缺失' },
    from: 'mlps3',
  },
  networks: {
    title: { en: 'Active sign-in rules with networks', zh: '限制网络的登录规则（启用）' },
    wanted: { en: 'At least one', zh: '至少一条' },
    from: 'mlps3',
  },
  backup: {
    title: { en: 'Last backup by the schedule', zh: '最近一次计划备份' },
    wanted: { en: 'Complete, within a week', zh: '一周内完成' },
    from: 'team',
  },
  drill: {
    title: { en: 'Last restore drill that passed', zh: '最近一次通过的恢复演练' },
    wanted: { en: 'On time', zh: '未逾期' },
    from: 'team',
  },
  remote_copy: {
    title: { en: 'Storage of backups outside of the server', zh: '服务器以外的备份存储' },
    wanted: { en: 'Chosen', zh: '已选择' },
    from: 'company',
  },
  auditors: {
    title: { en: 'Active auditors of the installation', zh: '有效的系统审计员' },
    wanted: { en: 'At least one', zh: '至少一名' },
    from: 'company',
  },
  receivers: {
    title: { en: 'Active event receivers', zh: '启用的事件接收端' },
    wanted: { en: 'At least one', zh: '至少一个' },
    from: 'company',
  },
  sealed: {
    title: { en: 'First administrator', zh: '首个管理员' },
    wanted: { en: 'Disabled', zh: '已禁用' },
    from: 'mlps3',
  },
  algorithms: {
    title: { en: 'Algorithms of new secrets', zh: '新敏感数据的算法' },
    wanted: { en: 'Authenticated encryption', zh: '带认证的加密' },
    from: 'team',
  },
} as const satisfies Readonly<
  Record<string, { title: LocalText; wanted: LocalText; from: PresetName }>
>;

export type FactName = keyof typeof FACTS;

const ALGORITHMS: Readonly<Record<Suite, LocalText>> = {
  international: { en: 'AES-256-GCM', zh: 'AES-256-GCM' },
  national: {
    en: 'SM4-CBC with HMAC-SM3; logs and evidence by SM3 and SM2, too',
    zh: 'SM4-CBC 与 HMAC-SM3；日志和证据另有 SM3 与 SM2',
  },
};
const COUNT: LocalText = { en: '{count, number}', zh: '{count, number}' };
const NONE: LocalText = { en: 'None', zh: '无' };

const none = (count: number): Fact =>
  count === 0 ? { met: true, value: NONE } : { met: false, value: COUNT, params: { count } };
const some = (count: number): Fact => ({ ...none(count), met: count > 0 });
const dated = (met: boolean, date: Date | null | undefined): Fact =>
  date ? { met, value: date } : { met: false, value: NONE };

interface Counts {
  readonly without_factor: number;
  readonly first_password: number;
  readonly idle: number;
  readonly both: number;
  readonly auditors: number;
  readonly unrecorded: number;
  readonly networks: number;
  readonly receivers: number;
  readonly sealed: boolean;
}

async function countAll(db: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    with active as (select id, role, password_generated, last_login, date_joined
      from account where is_active and coalesce(date_expired > now(), true))
    select (select count(*)::int from active a where a.role <> 'User'
        and not exists (select 1 from totp where totp.user_id = a.id)
        and not exists (select 1 from passkey where passkey.user_id = a.id))
        as without_factor,
      (select count(*)::int from active where password_generated) as first_password,
      (select count(*)::int from active where coalesce(last_login, date_joined)
        < now() - make_interval(days => ${IDLE_DAYS})) as idle,
      (select count(*)::int from active a where (a.role = 'Auditor' or exists (
          select 1 from organization_member m where m.user_id = a.id and m.role = 'Auditor'))
        and exists (select 1 from organization_member m
          where m.user_id = a.id and m.role = 'Admin')) as both,
      (select count(*)::int from active where role = 'Auditor') as auditors,
      (select count(*)::int from session where replay_state = 'failed'
        and date_start > now() - interval '7 days') as unrecorded,
      (select count(*)::int from sign_in_rule where is_active and networks <> '{}') as networks,
      (select count(*)::int from event_receiver where is_active) as receivers,
      not exists (select 1 from account where username = ${FIRST_ADMINISTRATOR} and is_active)
        as sealed`.execute(db);
  const [counts] = rows;
  if (!counts) throw new Error('the counts have no row');
  return counts;
}

/** Reads all facts of the installation. */
export async function readFacts({
  db,
  settings,
  verifier,
  witnesses,
  suite,
}: FactSources): Promise<Readonly<Record<FactName, Fact>>> {
  const [counts, duties, last, witness, backup, drill] = await Promise.all([
    countAll(db),
    readDuties(db),
    verifier.last(),
    witnesses.state(),
    backupState(db),
    drillState(db),
  ]);
  const isDue = await verifier.isDue(last);
  const site = settings.get('SITE_URL');
  const days = settings.get('BACKUP_DRILL_DAYS');
  const backedUp = backup.last_started;
  return {
    https: {
      met: site.startsWith('https:'),
      value: { en: '{site}', zh: '{site}' },
      params: { site },
    },
    second_factors: none(counts.without_factor),
    first_password: none(counts.first_password),
    idle_accounts: none(counts.idle),
    duties: none(counts.both),
    ...duties,
    recorded: none(counts.unrecorded),
    chains: dated(last?.intact === true && !isDue, last?.date),
    witness: dated(witness.isConfigured && !witness.isMissing, witness.last),
    networks: some(counts.networks),
    backup: dated(
      backedUp !== null && Date.now() - backedUp.getTime() < OLD_BACKUP_DAYS * DAY,
      backedUp,
    ),
    drill: dated(days > 0 && !drill.has_failed && !isDrillLate(drill, days), drill.last_passed),
    remote_copy: settings.get('BACKUP_STORAGE')
      ? { met: true, value: { en: 'Chosen', zh: '已选择' } }
      : { met: false, value: NONE },
    auditors: some(counts.auditors),
    receivers: some(counts.receivers),
    sealed: {
      met: counts.sealed,
      value: counts.sealed ? { en: 'Disabled', zh: '已禁用' } : { en: 'Active', zh: '启用' },
    },
    algorithms: { met: true, value: ALGORITHMS[suite] },
  };
}
