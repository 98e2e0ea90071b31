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
  unsupported: {
    zh: '此浏览器或设备无法使用通行密钥。',
    en: 'This browser or device cannot use passkeys.',
  },
});
