import pg from 'pg';
import { unique } from '../builders.ts';
import type { Client } from '../client.ts';
import { databasePassword, grantDatabase } from '../databases/grant-database.ts';
import { VAULT_ACCOUNT, VAULT_PASSWORD } from '../databases/postgres-server.ts';
import { QueryClient } from '../databases/query-client.ts';
import { socketsOf } from '../desktops/desktop-world.ts';
import { until } from '../poll.ts';
import type { SshWorld } from '../ssh/ssh-world.ts';
import { TerminalClient } from '../terminals/terminal-client.ts';

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Ways into the product. Each returns `open` for success, or the sentence that refuses it. */
export async function waysInto(
  world: SshWorld,
  databasePort: number,
  person: Client,
): Promise<Readonly<Record<string, () => Promise<string>>>> {
  const { test, member, administrator, asset, systemUser, ssh, login } = world;
  const granted = await grantDatabase(administrator, member.id, {
    type: 'postgresql',
    port: databasePort,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
  const password = await databasePassword(person, granted);
  const answered = async (client: TerminalClient | QueryClient) => {
    const find = (wanted: string) => client.messages.find(({ type }) => type === wanted);
    await until(() => (find('open') ?? find('closed')) !== undefined, 'an answer');
    client.socket.terminate();
    const closed = find('closed');
    return closed ? JSON.stringify(closed) : 'open';
  };
  const written = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    return status < 300 ? 'open' : `${status} ${text}`;
  };
  return {
    'a change': () =>
      written(administrator.post('assets/labels/', { name: unique('name'), value: 'x' })),
    'sign-in': () =>
      written(
        test.visitor.post('authentication/auth/', {
          username: member.username,
          password: member.password,
        }),
      ),
    'web terminal': async () =>
      answered(
        await TerminalClient.connect(
          socketsOf(test.program.url),
          { asset, system_user: systemUser },
          person.headers,
        ),
      ),
    async ssh() {
      const call = { login, password: member.password, command: 'true' };
      const { code, stderr } = await ssh.run(call);
      return code === 0 ? 'open' : stderr;
    },
    async psql() {
      const { port, username: user } = password;
      const client = new pg.Client({ ...password, host: '127.0.0.1', port, user });
      client.on('error', () => undefined);
      const answer = await client.connect().then(() => 'open', messageOf);
      await client.end().catch(() => undefined);
      return answer;
    },
    workspace: async () =>
      answered(
        await QueryClient.connect(
          test.program.url,
          { app: granted.app, system_user: granted.systemUser },
          person.headers,
        ),
      ),
  };
}
