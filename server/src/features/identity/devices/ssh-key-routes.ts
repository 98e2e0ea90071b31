import { type DeviceSshKey, formatDatetime, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { Forbidden, invalid, Rejected } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { wireOf } from '../../../platform/ssh-keys.ts';
import { storeDeviceKey } from './ssh-keys.ts';

const SSH_KEY = {
  public_key: text({
    label: { en: 'SSH public key', zh: 'SSH 公钥' },
    max: 200,
    example: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIWq0V4zvSIT3H8xqO7s7nIMKk8Zt9hkSkz1cWyJ7G6W',
  }),
};

interface Options {
  readonly db: Db;
  readonly settings: Pick<SettingsService, 'get'>;
}

/**
 * Lets a key open one SSH connection of the caller's device within a minute. A page and an access
 * key cannot do it. @throws Invalid, Rejected, Forbidden
 */
async function addSshKey({ db, settings }: Options, context: Context): Promise<DeviceSshKey> {
  const { session, remoteAddress } = context.actor;
  if (session.kind !== 'bearer') throw new Forbidden('sign_in_needed');
  if (!settings.get('TERMINAL_PUBLIC_KEY_AUTH')) throw new Rejected('public_key_off');
  const line = readBody(context, SSH_KEY).public_key;
  const key = wireOf(line);
  if (!key || !line.startsWith('ssh-ed25519 ')) throw invalid('public_key', 'not_public_key');
  const device = { sessionId: session.id, remoteAddress };
  const date = await db.transaction((tx) => storeDeviceKey(key, device, tx));
  context.reply.code(201);
  return { date_expired: formatDatetime(date, context.zone), remote_addr: remoteAddress };
}

/** Mounts the route by which a device adds the key of its next SSH connection. */
export function mountDeviceSshKeys(app: FastifyInstance, options: Options): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/authentication/device/ssh-key/',
    access: Permission.USE,
    summary:
      'Let a key open one SSH connection of this device within a minute, from the same address.',
    body: SSH_KEY,
    status: 201,
    answer: samples<DeviceSshKey>({
      date_expired: '2026-01-31 08:31:00 +0800',
      remote_addr: '192.0.2.7',
    }),
    handler: (context) => addSshKey(options, context),
  });
}
