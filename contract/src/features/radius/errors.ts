import type { LocalText } from '../../kit/text.ts';

/** Errors of RADIUS. */
export const ERRORS = {
  radius_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
  radius_disabled: {
    en: 'RADIUS sign-in is not enabled. Enable it in the settings first.',
    zh: '未启用 RADIUS 认证，请先在系统设置中启用。',
  },
  radius_unsigned: {
    en: 'The RADIUS server answered without a signature (Message-Authenticator), so the answer does not count. Contact an administrator.',
    zh: 'RADIUS 服务器的应答没有签名（Message-Authenticator），不能采用，请联系管理员。',
  },
  radius_servers: {
    en: 'Enter up to five addresses separated by commas, such as radius.example.com or 10.0.0.2:1645.',
    zh: '请填写最多五个地址，以逗号分隔，例如 radius.example.com 或 10.0.0.2:1645。',
  },
} as const satisfies Record<string, LocalText>;
