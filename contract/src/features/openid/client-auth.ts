import { choice } from '../../kit/field.ts';
import { help, label } from '../../settings/kit.ts';

/** Place of the client's secret in requests to an OpenID provider. */
export const OPENID_CLIENT_AUTH = choice({
  ...label('Send the secret', '密钥发送方式'),
  ...help(
    'The provider names it client_secret_basic (header) or client_secret_post (body)',
    '认证服务端称之为 client_secret_basic（请求头）或 client_secret_post（请求体）',
  ),
  choices: [
    { value: 'auto', label: { en: 'As the provider says', zh: '由认证服务端决定' } },
    { value: 'header', label: { en: 'In the header', zh: '请求头' } },
    { value: 'body', label: { en: 'In the body', zh: '请求体' } },
  ],
  defaultValue: 'auto',
});
