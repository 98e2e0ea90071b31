import { Permission, type SshAccess } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../../config.ts';
import { route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { fingerprintOf } from '../../../platform/ssh-keys.ts';
import { readHostAuthority, readPublicKeys } from './listener-keys.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIWq0V4zvSIT3H8xqO7s7nIMKk8Zt9hkSkz1cWyJ7G6W';
const ANSWER = samples<SshAccess>(
  {
    host: 'bastion.example.com',
    port: 2222,
    host_keys: [{ public_key: KEY, fingerprint: fingerprintOf(KEY) }],
    host_ca: KEY,
  },
  { host: '', port: 0, host_keys: [], host_ca: '' },
);

/** Serves host, port and host keys of the SSH listener to users who may connect. */
export function mountSshRoutes(
  app: FastifyInstance,
  { db, config, port }: { readonly db: Db; readonly config: Config; readonly port: () => number },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/ssh/',
    access: Permission.USE,
    summary:
      'The SSH address of this bastion: host, port, host keys to compare, and the key that signs the certificates of servers behind `ssh -J`.',
    answer: ANSWER,
    async handler(): Promise<SshAccess> {
      const host = config.publicUrl ? new URL(config.publicUrl).hostname : '';
      if (port() === 0) return { host, port: 0, host_keys: [], host_ca: '' };
      const keys = await readPublicKeys(db);
      return {
        host,
        port: port(),
        host_keys: keys.map((key) => ({ public_key: key, fingerprint: fingerprintOf(key) })),
        host_ca: await readHostAuthority(db),
      };
    },
  });
}
