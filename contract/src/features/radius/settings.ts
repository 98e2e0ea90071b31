import { integer, secret, text } from '../../kit/field.ts';
import { flag, help, label, optional } from '../../settings/kit.ts';

/** Sign-in by a RADIUS server. */
export const SETTINGS = {
  radius: {
    title: { en: 'RADIUS', zh: 'RADIUS 设置' },
    fields: {
      AUTH_RADIUS_SERVERS: optional(label('RADIUS servers', 'RADIUS 服务器'), 1024, {
        ...help(
          'For example radius.example.com, 10.0.0.2:1645. Up to five; if one does not answer, the next is tried',
          '例如 radius.example.com, 10.0.0.2:1645；最多五个，前一个无响应时使用下一个',
        ),
        isService: true,
      }),
      AUTH_RADIUS_SECRET: secret({
        ...label('Shared secret', '共享密钥'),
        ...help(
          'The server must sign its answers with it (Message-Authenticator)',
          '服务器的应答必须带有以此密钥签名的 Message-Authenticator',
        ),
        max: 256,
      }),
      AUTH_RADIUS_NAS_IDENTIFIER: text({
        ...label('NAS identifier', 'NAS 标识'),
        ...help(
          'Name that this server sends to the RADIUS server',
          '本系统向 RADIUS 服务器报告的名称',
        ),
        max: 128,
        defaultValue: 'sallyport',
        required: true,
      }),
      AUTH_RADIUS_TIMEOUT: integer({
        ...label('Timeout', '超时时间'),
        ...help(
          'Units: seconds, per server. Increase it if users confirm on their phone',
          '单位：秒，每个服务器。用户需在手机上确认时应设置得更长',
        ),
        min: 1,
        max: 60,
        defaultValue: 5,
        required: false,
      }),
      AUTH_RADIUS_CREATE_USERS: flag(
        label('Create accounts', '自动创建账号'),
        true,
        help('Creates an account at a user’s first sign-in', '用户首次登录时自动创建账号'),
      ),
      AUTH_RADIUS: flag(label('Enable RADIUS sign-in', '启用 RADIUS 认证'), false),
    },
  },
} as const;
