import { type LocalText, type NotificationKind, say } from '@sallyport/contract';
import { countryName } from '../../../kit/format/country.ts';
import { language } from '../../../kit/i18n/index.ts';

/** The sentences of notifications, by kind. */
const SENTENCES: Readonly<Record<NotificationKind, LocalText>> = {
  ticket_asked: { zh: '{by} 等待您处理：{subject}', en: '{by} asks: {subject}' },
  ticket_approved: { zh: '{by} 同意了：{subject}', en: '{by} approved {subject}' },
  ticket_rejected: { zh: '{by} 拒绝了：{subject}', en: '{by} rejected {subject}' },
  ticket_closed: { zh: '{by} 关闭了：{subject}', en: '{by} closed {subject}' },
  emergency_opened: { zh: '紧急访问已启用：{subject}', en: 'Emergency access opened: {subject}' },
  second_person_asked: {
    zh: '{by} 的会话等待您监看：{subject}',
    en: 'A session of {by} waits for you to watch: {subject}',
  },
  change_proposed: {
    zh: '{by} 的变更申请等待您审批：{subject}',
    en: 'A change set of {by} waits for your decision: {subject}',
  },
  change_emergency: {
    zh: '{by} 未经审批使变更立即生效，请复核：{subject}',
    en: '{by} applied changes without a second administrator, review them: {subject}',
  },
  change_applied: {
    zh: '{by} 批准了您的变更申请：{subject}',
    en: '{by} approved your change set: {subject}',
  },
  change_rejected: {
    zh: '{by} 驳回了您的变更申请：{subject}',
    en: '{by} rejected your change set: {subject}',
  },
  emergency_ended: {
    zh: '紧急访问已结束，请复核录像：{subject}',
    en: 'Emergency access ended, review its recordings: {subject}',
  },
  access_ends: {
    zh: '您的访问一天内到期：{subject}',
    en: 'Your access ends within a day: {subject}',
  },
  access_ended: { zh: '您的访问已结束：{subject}', en: 'Your access has ended: {subject}' },
  own_new_network: {
    zh: '您的账号从新网络登录：{subject}。如非本人操作，请立即修改密码并联系管理员。',
    en: 'Your account signed in from a new network: {subject}. If it was not you, change your password and tell an administrator.',
  },
  alert_new_network: {
    zh: '{by} 从新网络登录：{subject}',
    en: '{by} signed in from a new network: {subject}',
  },
  alert_new_country: {
    zh: '{by} 从新国家登录：{subject}',
    en: '{by} signed in from a new country: {subject}',
  },
  alert_unusual_hour: {
    zh: '{by} 在异常时段登录：{subject}',
    en: '{by} signed in at an unusual hour: {subject}',
  },
  alert_first_use: {
    zh: '{by} 首次使用账号：{subject}',
    en: '{by} used an account for the first time: {subject}',
  },
  alert_many_denials: {
    zh: '{by} 多次被拒绝：{subject}',
    en: '{by} was denied many times: {subject}',
  },
  alert_recovered: {
    zh: '运维人员在服务器上重置了 {by} 的登录凭据：{subject}',
    en: 'An operator of the server reset the account {by}: {subject}',
  },
  alert_lost_changes: {
    zh: '数据库故障切换丢失了已确认的变更',
    en: 'A failover of the database lost changes that were confirmed',
  },
  alert_reused_token: {
    zh: '{by} 的智能体令牌被使用两次，可能已被盗用：{subject}',
    en: 'A token of an agent of {by} was used twice and may be stolen: {subject}',
  },
  job_failed: { zh: '任务出现失败：{subject}', en: 'Job ended with failures: {subject}' },
};

/** Denials of an address without a user: the address is both. */
const DENIED_ADDRESS: LocalText = {
  zh: '{by} 的登录多次被拒绝',
  en: 'Sign-ins from {by} were denied many times',
};

/** Earlier servers repeated the address in parentheses. */
const isOfAddress = (of: { kind: NotificationKind; by: string; subject: string }): boolean =>
  of.kind === 'alert_many_denials' && [of.by, `${of.by} (${of.by})`].includes(of.subject);

/** Writes a notification as a sentence. */
export const sentenceOf = ({
  kind,
  by_name: by,
  subject,
}: {
  readonly kind: NotificationKind;
  readonly by_name: string;
  readonly subject: string;
}): string =>
  say(isOfAddress({ kind, by, subject }) ? DENIED_ADDRESS : SENTENCES[kind], language, {
    by,
    subject:
      kind === 'alert_new_country'
        ? `${countryName(subject.slice(0, 2))}${subject.slice(2)}`
        : subject,
  });
