import { catalogue } from '../../i18n/index.ts';

/** Reasons for a failed passkey operation. */
export const words = catalogue({
  aborted: {
    zh: '未使用通行密钥：操作被取消或已超时。',
    en: 'No passkey was used: the request was canceled or timed out.',
  },
  known: {
    zh: '此设备已经有您账号的通行密钥。',
    en: 'This device already holds a passkey of your account.',
  },
  address: {
    zh: '按 IP 地址打开时无法使用通行密钥。请用域名打开本站（HTTPS）；如果没有域名，请联系管理员。',
    en: 'Passkeys do not work under an IP address. Open this site by its host name over HTTPS, or ask your administrator for one.',
  },
  insecure: {
    zh: '通行密钥需要 HTTPS。请用 https:// 打开本站；如果打不开，请联系管理员。',
    en: 'Passkeys need HTTPS. Open this site with https://, or ask your administrator for it.',
  },
  unsupported: {
    zh: '此浏览器或设备无法使用通行密钥。',
    en: 'This browser or device cannot use passkeys.',
  },
});
