import { integer } from '../kit/field.ts';
import { help, label } from './kit.ts';

/** Settings that limit the life of keys, tokens and devices. */
export const KEY_LIFETIMES = {
  SECURITY_ACCESS_KEY_MAX_DAYS: integer({
    ...label('Maximum API key lifetime (days)', 'API Key 最长有效期（天）'),
    ...help(
      'New API keys must expire within this many days. 0 = keys may have no expiry',
      '新建的 API Key 最长有效天数；0 表示允许永久有效',
    ),
    min: 0,
    max: 3_650,
    defaultValue: 90,
    required: true,
  }),
  SECURITY_SOURCE_PROOF_MAX_DAYS: integer({
    ...label('Sign in at the source at least every (days)', '至少每隔多少天在来源处登录一次'),
    ...help(
      'For accounts from directories and identity providers. After this time without a confirmation by the source, SSH keys, API keys, tokens, passkeys and devices wait for a sign-in there',
      '适用于来自目录和身份提供方的账号。来源超过该天数未确认账号时，SSH 公钥、API Key、令牌、通行密钥和设备须等待用户在来源处重新登录',
    ),
    min: 1,
    max: 3_650,
    defaultValue: 30,
    required: false,
  }),
};
