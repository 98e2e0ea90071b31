import {
  formatDatetime,
  gateway,
  isMisleading,
  JOIN_SITE_PATH,
  Permission,
  type SiteInstall,
  siteJoinCommand,
  siteUnit,
  text,
} from '@sallyport/contract';
import { readUserKey } from '@sallyport/ssh';
import type { FastifyInstance } from 'fastify';
import type { Context, PublicContext } from '../../http/context.ts';
import { parameter, publicRoute, readBody, route } from '../../http/route.ts';
import { fileOf, samples } from '../../http/shapes.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Rejected } from '../../platform/errors.ts';
import { fingerprintOf } from '../../platform/ssh-keys.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { SshListenerFacts } from '../connections/index.ts';
import { type RateLimit, siteOf } from '../identity/index.ts';
import { createInstallKey, joinSite, portsBehind } from './store.ts';

export interface SiteRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly limit: RateLimit;
  readonly publicUrl: string | undefined;
  readonly listener: () => SshListenerFacts;
}

const KEY_TYPE = 'ssh-ed25519';
const MAX_KEY = 1_024;
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIWq0V4zvSIT3H8xqO7s7nIMKk8Zt9hkSkz1cWyJ7G6W';

const JOIN = {
  install_key: text({
    label: { en: 'Install key', zh: '安装密钥' },
    max: 128,
    example: 'bXkga2V5',
  }),
  public_key: text({ label: { en: 'Public key', zh: '公钥' }, max: MAX_KEY, example: KEY }),
};

const INSTALL = samples<SiteInstall>({
  install_key: 'bXkga2V5',
  date_expired: '2026-01-31 08:40:00 +0800',
  command: 'sudo install -d -m 700 /etc/sallyport-site && …',
  unit: '[Unit]\n…',
});

/** Mounts the routes with which the machine of a site joins. */
export function mountSites(app: FastifyInstance, options: SiteRouteOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/assets/gateways/:id/install-key/',
    access: Permission.ADMIN,
    area: 'assets',
    summary:
      'Create the install key of a site, with which one machine joins within the hour. An unused earlier key ends.',
    status: 201,
    answer: INSTALL,
    handler: (context) => install(options, context),
  });
  publicRoute(app, {
    method: 'POST',
    url: JOIN_SITE_PATH,
    summary:
      'Join as a site: exchange its install key for the host keys of the bastion, in the format of known_hosts.',
    body: JOIN,
    status: 200,
    answer: fileOf('text/plain', `[bastion.example.com]:2222 ${KEY}`),
    handler: (context) => join(options, context),
  });
}

/** Host and port of the SSH listener, as a client at the address of this request reaches it. */
function placeOf({ publicUrl, listener }: SiteRouteOptions, context: PublicContext) {
  const console = siteOf(context, publicUrl);
  const port = listener().port();
  if (port === 0) throw new Rejected('site_no_listener');
  return { console, host: new URL(console).hostname.replace(/^\[|\]$/g, ''), port };
}

async function install(options: SiteRouteOptions, context: Context): Promise<SiteInstall> {
  const row = await engineOf(options.engines, gateway).reader.retrieve(
    parameter(context, 'id'),
    context,
  );
  const id = String(row.id);
  if (row.protocol !== 'site') throw new Rejected('site_only');
  const place = placeOf(options, context);
  const created = await transact(options.db, async (tx) => {
    const key = await createInstallKey(id, tx);
    if (!key) throw new Rejected('site_joined');
    await options.audit(tx, context, {
      action: 'update',
      resourceType: 'gateway',
      resource: String(row.name),
      resourceId: id,
    });
    return key;
  });
  const site = {
    ...place,
    installKey: created.key,
    login: `site+${id}`,
    ports: await portsBehind(id, options.db),
  };
  context.reply.status(201);
  return {
    install_key: created.key,
    date_expired: formatDatetime(created.expires, context.zone),
    command: siteJoinCommand(site),
    unit: siteUnit(site),
  };
}

async function join(options: SiteRouteOptions, context: PublicContext): Promise<string> {
  const { install_key, public_key } = readBody(context, JOIN);
  const { host, port } = placeOf(options, context);
  const [type, body] = public_key.trim().split(/\s+/);
  const line = `${type} ${body}`;
  if (type !== KEY_TYPE || isMisleading(public_key) || readUserKey(line)?.type !== KEY_TYPE)
    throw new Rejected('site_public_key');
  const site = await options.limit.ofSecret(context, () =>
    transact(options.db, async (tx) => {
      const joined = await joinSite(install_key, line, tx);
      if (!joined) throw new Rejected('site_install_key');
      await options.audit(
        tx,
        {
          actor: {
            name: joined.name,
            username: `site+${joined.id}`,
            organization: { id: joined.org_id, name: '' },
            remoteAddress: context.request.ip,
          },
        },
        {
          action: 'update',
          resourceType: 'gateway',
          resource: `${joined.name} ${fingerprintOf(line)}`,
          resourceId: joined.id,
        },
      );
      return joined;
    }),
  );
  context.reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store');
  const name = port === 22 ? host : `[${host}]:${port}`;
  const keys = await options.listener().hostKeys();
  return `# ${site.id}\n${keys.map((key) => `${name} ${key}\n`).join('')}`;
}
