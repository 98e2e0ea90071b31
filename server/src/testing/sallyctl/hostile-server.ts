import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import type { Machine } from './sallyctl.ts';

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

/** A server that answers the requests of sallyctl with any values. */
export interface HostileServer {
  /** Answers, by the path below `/api/v1/` without its query. */
  readonly answers: Map<string, Answer>;
  stop(): Promise<void>;
}

const ID = '11111111-2222-4333-8444-555555555555';

/** Starts a server with one asset `web` and one database `sales`, and signs a machine in there. */
export async function startHostileServer(machine: Machine): Promise<HostileServer> {
  const account = { id: ID, name: 'root', username: 'root', protocol: 'ssh' };
  const rows = (row: object) => ({ body: { count: 1, next: null, results: [row] } });
  const answers: HostileServer['answers'] = new Map<string, Answer>([
    ['perms/users/assets/', rows({ id: ID, hostname: 'web', ip: '10.0.0.1', org_name: 'one' })],
    [`perms/users/assets/${ID}/system-users/`, { body: [account] }],
    ['perms/users/database-apps/', rows({ id: ID, name: 'sales', type: 'mysql', org_name: 'one' })],
    [`perms/users/database-apps/${ID}/system-users/`, { body: [account] }],
  ]);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname.replace('/api/v1/', '');
    const { status = 200, body } = answers.get(path) ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await mkdir(dirname(machine.file), { recursive: true, mode: 0o700 });
  await writeFile(
    machine.file,
    JSON.stringify({
      server: `http://127.0.0.1:${port}`,
      token: 'token',
      username: 'alice',
      date_expired: '2036-01-31 08:30:00 +0800',
    }),
    { mode: 0o600 },
  );
  return {
    answers,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
