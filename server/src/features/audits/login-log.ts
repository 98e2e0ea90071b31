import {
  describePasswordEnd,
  ERRORS,
  type ErrorCode,
  FAILURES_WORTH_A_LOOK,
  type Language,
  loginLog,
  type PasswordEnd,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { defineCounter } from '../../platform/metrics/open-metrics.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { type AttentionConditions, attentionFilter } from '../../resources/read/scope.ts';
import { named } from '../../resources/relations/named-objects.ts';

/** Failed attempts of the last 24 hours with a username that failed repeatedly. */
export const SIGN_IN_ATTENTION = {
  failed_sign_ins:
    () => sql`(not t.status and t.datetime > now() - interval '1 day' and t.username in (
    select l.username from login_log l where not l.status and l.datetime > now() - interval '1 day'
      group by l.username having count(*) >= ${FAILURES_WORTH_A_LOOK}))`,
} satisfies AttentionConditions;

const signIns = defineCounter(
  'sallyport_sign_ins_total',
  'Attempts to sign in: W in a browser, T in a terminal, A by a script; success, or the code of the refusal.',
);

export interface LoginAttempt {
  readonly username: string;
  readonly userId: string | undefined;
  readonly type: 'W' | 'T' | 'A';
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly mfa: 0 | 1 | 2;
  /** Error code. Empty for a successful attempt. */
  readonly reason: ErrorCode | 'user_not_exist' | '';
  /** End of the external password of a successful attempt. */
  readonly passwordEnd?: PasswordEnd | undefined;
}

/** Reasons of successful attempts: a code and its number. */
const PASSWORD_ENDS = /^source_password_(sign_ins|days)_left (\d+)$/;

function reasonOf({ reason, passwordEnd }: LoginAttempt): string {
  if (reason !== '' || !passwordEnd) return reason;
  const { signInsLeft, daysLeft } = passwordEnd;
  if (signInsLeft !== null) return `source_password_sign_ins_left ${signInsLeft}`;
  return daysLeft === null ? '' : `source_password_days_left ${daysLeft}`;
}

/** Stores a sign-in attempt. */
export async function writeLoginLog(db: Db | Tx, attempt: LoginAttempt): Promise<void> {
  await loginLogEntry(attempt).execute(db);
  countAttempt(attempt);
}

/** Counts a sign-in attempt whose entry was stored. */
export function countAttempt({ type, reason }: LoginAttempt): void {
  signIns.add({ type, result: reason || 'success' });
}

/** The insertion of a sign-in attempt, for a statement that also does something else. */
export function loginLogEntry(attempt: LoginAttempt): Sql {
  // Limits the length and removes control characters: users also type passwords into this field.
  const username = attempt.username.replace(/\p{Cc}/gu, '').slice(0, 128);
  return sql`
    insert into login_log (username, user_id, type, ip, user_agent, mfa, reason, status)
    values (${username}, ${attempt.userId ?? null}, ${attempt.type}, ${attempt.remoteAddress},
      ${attempt.userAgent.slice(0, 254)}, ${attempt.mfa}, ${reasonOf(attempt)},
      ${attempt.reason === ''})`;
}

const REASONS: Readonly<Record<string, { en: string; zh: string }>> = {
  password_failed: { en: 'Wrong password', zh: '密码错误' },
  challenge_failed: { en: 'Wrong answer to the additional question', zh: '附加问题回答错误' },
  user_not_exist: { en: 'No such user', zh: '用户不存在' },
  mfa_failed: { en: 'Wrong second factor', zh: '双重认证失败' },
  mfa_unset: { en: 'Second factor not set up', zh: '未设置双重认证' },
  login_confirm_refused: { en: 'Not confirmed by a reviewer', zh: '登录复核未通过' },
  block_login: { en: 'Locked after repeated failures', zh: '多次失败后被锁定' },
  block_address: {
    en: 'Address locked after failures of several names',
    zh: '该地址多个用户名登录失败后被锁定',
  },
  source_locked: { en: 'Locked at its source', zh: '账号来源处已锁定' },
  source_must_change: {
    en: 'Must change the password at its source',
    zh: '须先在账号来源处修改密码',
  },
  source_disabled: { en: 'Disabled at its source', zh: '账号来源处已禁用' },
  source_expired: { en: 'Expired at its source', zh: '账号来源处已过期' },
  source_password_expired: { en: 'Password expired at its source', zh: '账号来源处密码已过期' },
  source_wrong_time: { en: 'Not at this time, by its source', zh: '账号来源不允许此时登录' },
  source_wrong_place: { en: 'Not on this computer, by its source', zh: '账号来源不允许在此登录' },
  source_refused: {
    en: 'Refused by its source: see the log of the server',
    zh: '账号来源拒绝，原因见服务器日志',
  },
  directory_unknown_person: { en: 'No such user in the directory', zh: '用户目录中没有该用户' },
  source_shut: {
    en: 'Disabled, expired or gone at its source',
    zh: '账号来源处已禁用、过期或删除',
  },
};

function reasonText(code: string, language: Language): string {
  const [, unit, left] = PASSWORD_ENDS.exec(code) ?? [];
  if (unit)
    return describePasswordEnd(
      {
        signInsLeft: unit === 'sign_ins' ? Number(left) : null,
        daysLeft: unit === 'days' ? Number(left) : null,
      },
      language,
    );
  // Rows are permanent. Older ones have codes with the former prefix of providers.
  const known = code.replace(/^openid_/, 'provider_');
  const text =
    REASONS[code] ?? (Object.hasOwn(ERRORS, known) ? ERRORS[known as ErrorCode] : undefined);
  return text ? say(text, language) : code;
}

/**
 * Condition: the row concerns a member of the organization, after the member joined. Rows of
 * accounts that were created in the organization are always visible.
 */
export const sinceMembership = ({ actor }: Caller) =>
  actor.organization.id === ''
    ? undefined
    : sql`exists (select 1 from organization_member member join account a on a.id = member.user_id
        where member.organization_id::text = ${actor.organization.id} and member.user_id = t.user_id
          and (member.date_joined <= t.datetime
            or a.home_organization_id = member.organization_id))`;

/** The hooks of the login log. Auditors of an organization see attempts of its members only. */
export const loginLogHooks = hooksFor(loginLog, {
  filters: { attention: attentionFilter(SIGN_IN_ATTENTION) },
  visible: sinceMembership,
  columns: { links: () => sql`jsonb_build_object('username', ${named('user', sql`t.user_id`)})` },
  present(rows, { caller: { language } }) {
    for (const row of rows) {
      row.reason_display = reasonText(String(row.reason ?? ''), language);
      row.status_display = row.status
        ? say({ en: 'Success', zh: '成功' }, language)
        : say({ en: 'Failed', zh: '失败' }, language);
    }
  },
});
