import { choice, displayOf, reference } from '../../kit/field.ts';

/** Ways to change from one account of a target to another. */
export const SWITCH_METHODS = [
  { value: 'su', label: { en: 'su', zh: 'su' } },
  { value: 'sudo', label: { en: 'sudo -i', zh: 'sudo -i' } },
  { value: 'enable', label: { en: 'enable (network devices)', zh: 'enable（网络设备）' } },
  { value: 'super', label: { en: 'super (network devices)', zh: 'super（网络设备）' } },
] as const;
export type SwitchMethod = (typeof SWITCH_METHODS)[number]['value'];
/** A username that su and sudo take for neither an option nor several words. */
export const SWITCH_NAME = /^[\w.@][\w.@-]*$/;

/** Fields of a system user that is reached from another one. */
export const switchFields = () => ({
  su_from: reference({
    label: { en: 'Switch from', zh: '切换自' },
    help: {
      en: 'Sessions sign in with this system user and then switch to this account. Users never see either password. Terminals only',
      zh: '会话先以此系统用户登录，再切换到本账号，用户看不到任何密码；仅支持终端',
    },
    to: 'system_user',
    required: false,
    nullable: true,
    filter: true,
    detailOnly: true,
  }),
  su_from_display: displayOf('su_from', { en: 'Switch from', zh: '切换自' }),
  su_method: choice({
    label: { en: 'Switch with', zh: '切换方式' },
    help: {
      en: 'su, enable and super use the password of this account, sudo that of the account that signs in',
      zh: 'su、enable 和 super 使用本账号的密码，sudo 使用登录账号的密码',
    },
    choices: SWITCH_METHODS,
    defaultValue: 'su',
    detailOnly: true,
  }),
});
