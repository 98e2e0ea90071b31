import { type Language, say } from '@sallyport/contract';
import type { SettingsService } from '../../../platform/settings/service.ts';

export type MailKind =
  | 'welcome'
  | 'password_reset'
  | 'public_key_reset'
  | 'invitation'
  | 'password_expiry'
  | 'source_password_expiry'
  | 'account_expiry'
  | 'ticket_asked'
  | 'emergency_opened'
  | 'second_person_asked'
  | 'change_proposed'
  | 'change_applied'
  | 'change_rejected'
  | 'change_emergency'
  | 'own_new_network'
  | 'job_failed'
  | 'ticket_approved'
  | 'ticket_rejected'
  | 'ticket_closed'
  | 'grant_ends';

/** Subject of a mail: an organization or a ticket, its page, and the user who acted. */
export interface MailAbout {
  readonly about: string;
  /** Path of the page to link; absent: the profile. */
  readonly page?: string;
  readonly by?: string;
}

export interface MailFacts {
  readonly name: string;
  readonly username: string;
  /** URL of the mail's link; blank for mails without one. */
  readonly link: string;
  readonly site: string;
  /** Days until the password or account expires. */
  readonly days: number;
  /** Subject of the mail, such as an organization or a ticket; blank for most mails. */
  readonly about: string;
  /** User who acted; blank for most mails. */
  readonly by: string;
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

interface Template {
  readonly subject: { readonly en: string; readonly zh: string };
  readonly lines: readonly { readonly en: string; readonly zh: string }[];
}

const HELLO = { en: 'Hello {name},', zh: '{name}，您好：' };
const LINK = { en: '{link}', zh: '{link}' };
const HOUR = {
  en: 'The link works once and expires in one hour.',
  zh: '该链接一小时内有效，仅可使用一次。',
};

const REPLIED = { en: 'New reply to ticket: {about}', zh: '工单有新回复：{about}' };
/** Template of a mail to the requester of a ticket. */
const replied = (en: string, zh: string): Template => ({
  subject: REPLIED,
  lines: [HELLO, { en, zh }, LINK],
});

const TEMPLATES: Readonly<Record<MailKind, Template>> = {
  welcome: {
    subject: { en: 'Your new account', zh: '您的账号已创建' },
    lines: [
      HELLO,
      { en: 'an account has been created for you: {username}', zh: '已为您创建账号：{username}' },
      { en: 'Choose your password here:', zh: '请点击以下链接设置密码：' },
      LINK,
      {
        en: 'The link works once and expires in one hour. After that, request a new link with "Forgot your password?" at {site}',
        zh: '该链接一小时内有效，仅可使用一次。过期后请在 {site} 点击“忘记密码？”重新申请。',
      },
    ],
  },
  password_reset: {
    subject: { en: 'Reset your password', zh: '重置密码' },
    lines: [
      HELLO,
      {
        en: 'we received a request to reset the password of your account {username}. Choose a new password here:',
        zh: '我们收到重置账号 {username} 密码的请求，请点击以下链接设置新密码：',
      },
      LINK,
      HOUR,
      {
        en: 'If you did not request this, ignore this email. Your password stays unchanged.',
        zh: '如非本人操作，请忽略此邮件，您的密码不会改变。',
      },
    ],
  },
  public_key_reset: {
    subject: { en: 'Your SSH key was removed', zh: 'SSH 公钥已移除' },
    lines: [
      HELLO,
      {
        en: 'an administrator removed the SSH public key of the account {username}. Set a new one in your profile:',
        zh: '管理员已移除账号 {username} 的 SSH 公钥，请在个人信息中设置新的公钥：',
      },
      LINK,
    ],
  },
  invitation: {
    subject: { en: 'Invitation to join an organization', zh: '组织邀请' },
    lines: [
      HELLO,
      {
        en: 'the organization {about} invites your account {username}. Accept or decline in your profile within 14 days:',
        zh: '组织 {about} 邀请您的账号 {username} 加入。请在 14 天内到个人信息页面接受或拒绝：',
      },
      LINK,
    ],
  },
  password_expiry: {
    subject: { en: 'Your password expires soon', zh: '密码即将过期' },
    lines: [
      HELLO,
      {
        en: 'the password of the account {username} expires in {days, plural, one {# day} other {# days}}. Change it in your profile:',
        zh: '账号 {username} 的密码将在 {days} 天后过期，请在个人信息中修改：',
      },
      LINK,
    ],
  },
  source_password_expiry: {
    subject: { en: 'Your password expires soon', zh: '密码即将过期' },
    lines: [
      HELLO,
      {
        en: 'the password of the account {username} expires in {days, plural, one {# day} other {# days}}. Change it where your account comes from, such as the directory.',
        zh: '账号 {username} 的密码将在 {days} 天后过期，请在账号来源处（如用户目录）修改。',
      },
      { en: '{site}', zh: '{site}' },
    ],
  },
  account_expiry: {
    subject: { en: 'Your account expires soon', zh: '账号即将过期' },
    lines: [
      HELLO,
      {
        en: 'the account {username} expires in {days, plural, one {# day} other {# days}}. Ask an administrator if you still need it.',
        zh: '账号 {username} 将在 {days} 天后过期，如需继续使用请联系管理员。',
      },
      { en: '{site}', zh: '{site}' },
    ],
  },
  ticket_asked: {
    subject: { en: 'New ticket: {about}', zh: '新工单：{about}' },
    lines: [
      HELLO,
      { en: '{by} asks you to answer the ticket "{about}":', zh: '{by} 请您处理工单“{about}”：' },
      LINK,
    ],
  },
  emergency_opened: {
    subject: { en: 'Emergency access opened: {about}', zh: '紧急访问已启用：{about}' },
    lines: [
      HELLO,
      {
        en: '{by} opened emergency access: "{about}". Watch the sessions now and review their recordings afterwards:',
        zh: '{by} 启用了紧急访问“{about}”。请通过以下链接实时监控会话，并在事后复核录像：',
      },
      LINK,
    ],
  },
  second_person_asked: {
    subject: { en: 'A session waits for you: {about}', zh: '有会话等待您监看：{about}' },
    lines: [
      HELLO,
      {
        en: 'a session of {by} on "{about}" waits for a second person. Input passes while you watch it:',
        zh: '{by} 在“{about}”上的会话正在等待第二人监看，您监看期间可以输入：',
      },
      LINK,
    ],
  },
  change_emergency: {
    subject: {
      en: 'Changes without a second administrator: {about}',
      zh: '有紧急变更待复核：{about}',
    },
    lines: [
      HELLO,
      {
        en: '{by} applied changes at once, without a second administrator: "{about}". Review them:',
        zh: '{by} 未经另一名管理员审批，已使变更“{about}”立即生效。请复核：',
      },
      LINK,
    ],
  },
  own_new_network: {
    subject: {
      en: 'Sign-in from a new network: {about}',
      zh: '您的账号从新网络登录：{about}',
    },
    lines: [
      HELLO,
      {
        en: 'Your account signed in from a network that is new for you: {about}. If it was you, ignore this mail. If not, change your password at once and tell an administrator. Your profile lists your sign-ins:',
        zh: '您的账号从新网络登录：{about}。如是本人操作，请忽略；否则请立即修改密码并联系管理员。登录记录见个人信息：',
      },
      LINK,
    ],
  },
  job_failed: {
    subject: { en: 'Not done: {about}', zh: '未能执行：{about}' },
    lines: [
      HELLO,
      {
        en: 'planned work failed, and nothing has changed: "{about}". Read why:',
        zh: '计划任务“{about}”执行失败，未做任何修改。请查看原因：',
      },
      LINK,
    ],
  },
  change_proposed: {
    subject: { en: 'A change set waits for you: {about}', zh: '有变更申请等待您审批：{about}' },
    lines: [
      HELLO,
      {
        en: '{by} proposes changes that a second administrator decides: "{about}". Read who gains and loses access:',
        zh: '{by} 提交了变更申请“{about}”，须由另一名管理员审批。请查看访问权限的变化：',
      },
      LINK,
    ],
  },
  grant_ends: {
    subject: { en: 'Your access ends soon: {about}', zh: '授权即将到期：{about}' },
    lines: [
      HELLO,
      {
        en: 'the access that you requested with "{about}" ends within a day. Request it again if you still need it:',
        zh: '您申请的授权“{about}”将在一天内到期，如仍需使用请重新申请：',
      },
      LINK,
    ],
  },
  ticket_approved: replied(
    '{by} approved your ticket "{about}":',
    '{by} 已同意您的工单“{about}”：',
  ),
  ticket_rejected: replied(
    '{by} rejected your ticket "{about}":',
    '{by} 已拒绝您的工单“{about}”：',
  ),
  change_applied: replied(
    '{by} approved your change set "{about}":',
    '{by} 已批准您的变更申请“{about}”：',
  ),
  change_rejected: replied(
    '{by} rejected your change set "{about}":',
    '{by} 已驳回您的变更申请“{about}”：',
  ),
  ticket_closed: replied('{by} closed your ticket "{about}":', '{by} 已关闭您的工单“{about}”：'),
};

/** Returns the subject and text of a mail. Settings may replace parts of the welcome mail. */
export function mailText(
  kind: MailKind,
  facts: MailFacts,
  language: Language,
  settings: SettingsService,
): MailText {
  const template = TEMPLATES[kind];
  const params = { ...facts };
  const lines = template.lines.map((line) => say(line, language, params));
  let subject = say(template.subject, language, params);
  if (kind === 'welcome') {
    subject = settings.get('EMAIL_CUSTOM_USER_CREATED_SUBJECT') || subject;
    lines[0] = settings.get('EMAIL_CUSTOM_USER_CREATED_HONORIFIC') || lines[0] || '';
    const body = settings.get('EMAIL_CUSTOM_USER_CREATED_BODY');
    if (body) lines.splice(1, 0, body);
  }
  const signature = settings.get('EMAIL_CUSTOM_USER_CREATED_SIGNATURE') || 'Sallyport';
  return { subject, text: `${[...lines, signature].join('\n\n')}\n` };
}

/** Returns the subject, the sentence and the link of a mail, as a part of a digest. */
export function digestText(kind: MailKind, facts: MailFacts, language: Language): string {
  const { subject, lines } = TEMPLATES[kind];
  const sentences = lines.filter((line) => line !== HELLO);
  return [subject, ...sentences].map((line) => say(line, language, { ...facts })).join('\n');
}
