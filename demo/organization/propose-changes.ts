import type { ProposedChange } from '@sallyport/contract';
import type { Program } from '../../server/src/program.ts';
import { inLanguage } from '../language.ts';
import { DEMO_PASSWORD } from '../people/people.ts';
import { ORGANIZATION_ADMINISTRATOR } from './fill-organization.ts';
import data from './organization.json' with { type: 'json' };

interface Row {
  readonly id: string;
}
type Body = Readonly<Record<string, unknown>>;

/**
 * Fills the second organization as its administrator, over the API: assets, an account and
 * permissions under change control, and a change set that waits for another administrator.
 */
export async function proposeChanges({ app }: Program): Promise<void> {
  const send = async <Answer>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { body, headers }: { body?: Body; headers?: Record<string, string> },
  ): Promise<Answer> => {
    const answer = await app.http.inject({
      method,
      url: `/api/v1/${path}`,
      ...(body && { payload: inLanguage(body) }),
      ...(headers && { headers }),
    });
    if (answer.statusCode >= 300)
      throw new Error(`the sample data were refused at ${path}: ${answer.body}`);
    return answer.json<Answer>();
  };
  const { token } = await send<{ token: string }>('POST', 'authentication/auth/', {
    body: { username: ORGANIZATION_ADMINISTRATOR, password: DEMO_PASSWORD },
  });
  const authorization = `Bearer ${token}`;
  const profile = await send<{ admin_or_audit_orgs: readonly Row[] }>('GET', 'users/profile/', {
    headers: { authorization },
  });
  const headers = { authorization, 'x-jms-org': profile.admin_or_audit_orgs[0]?.id ?? '' };
  const create = (path: string, body: Body) => send<Row>('POST', path, { headers, body });

  const assets: string[] = [];
  for (const { hostname, ip } of data.assets)
    assets.push(
      (await create('assets/assets/', { hostname, ip, platform: 'Linux', protocols: ['ssh/22'] }))
        .id,
    );
  const account = await create('assets/system-users/', {
    name: '支付 pay',
    username: 'pay',
    protocol: 'ssh',
    login_mode: 'manual',
    auto_push: false,
  });
  const people = await send<(Row & { username: string })[]>('GET', 'users/users/', { headers });
  const idOf = (username: string) => people.find((one) => one.username === username)?.id;
  const permission = await create('perms/asset-permissions/', {
    name: '支付值班 · Payments on call',
    users: [idOf('wuqi')],
    assets: assets.slice(0, 2),
    system_users: [account.id],
  });
  await create('assets/cmd-filters/', { name: '支付禁用命令 · Refused in payments' });
  await send('PUT', 'change-control/', {
    headers,
    body: { is_on: true, allows_break_glass: true },
  });
  const changes: readonly ProposedChange[] = [
    {
      resource: 'asset_permission',
      action: 'change',
      object: permission.id,
      body: { users: [idOf('wuqi'), idOf('rgarcia')], assets },
    },
  ];
  await create('change-sets/', {
    reason: '马德里清算团队接手夜间值班 / Settlement in Madrid takes the night shift',
    changes,
  });
}
