import { accessSync, constants, mkdirSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { RELATIONS } from '@sallyport/contract';
import { type Config, StartError } from './config.ts';
import { adminUserHooks, createSystemUserHooks, domainHooks, gatewayHooks } from './features/assets/account-hooks.ts';
import { createAssetHooks } from './features/assets/asset-hooks.ts';
import { mountFavorites } from './features/assets/favorite-routes.ts';
import { mountHostKeys } from './features/assets/host-key-routes.ts';
import { nodeHooks } from './features/assets/node-hooks.ts';
import { mountNodeRoutes } from './features/assets/node-routes.ts';
import { createAuditChains } from './features/audits/chain.ts';
import { loginLogHooks } from './features/audits/login-log.ts';
import { operateLogHooks, writeOperateLog } from './features/audits/operate-log.ts';
import { passwordChangeLogHooks } from './features/audits/password-change-log.ts';
import { mountAudits } from './features/audits/routes.ts';
import { createDirectory, readAuthorities } from './features/directory/directory.ts';
import { mountHealth } from './features/health/routes.ts';
import { createAccessKeyHooks } from './features/identity/access-keys/hooks.ts';
import { CSRF_COOKIE, createAuthenticator } from './features/identity/authenticator.ts';
import { ensureFirstAdministrator } from './features/identity/first-administrator.ts';
import { createLockout } from './features/identity/lockout.ts';
import { createMailJobs } from './features/identity/mail/jobs.ts';
import { createMailer } from './features/identity/mail/mailer.ts';
import { remindOfExpiry } from './features/identity/mail/reminders.ts';
import { createSecondFactors } from './features/identity/mfa/second-factors.ts';
import { mountProfile } from './features/identity/profile.ts';
import { createRateLimit } from './features/identity/rate-limit.ts';
import { mountIdentity } from './features/identity/routes.ts';
import { setCsrfCookie } from './features/identity/sign-in/cookies.ts';
import { clearPending } from './features/identity/sign-in/pending.ts';
import { createSignInService } from './features/identity/sign-in/service.ts';
import { clearExpiredSignIns } from './features/identity/sign-ins.ts';
import { userGroupHooks } from './features/identity/user-group-hooks.ts';
import { createUserHooks } from './features/identity/user-hooks.ts';
import { mountInterface } from './features/interface/routes.ts';
import { createInterface } from './features/interface/service.ts';
import { mountLicense } from './features/license/routes.ts';
import { createLicense } from './features/license/service.ts';
import { mountOpenid, signOutPage } from './features/openid/routes.ts';
import { mountOpenidTrial } from './features/openid/trial-route.ts';
import { mountInvitations } from './features/orgs/invite-routes.ts';
import { mountMembership } from './features/orgs/membership-routes.ts';
import { createOrganizationHooks } from './features/orgs/organization-hooks.ts';
import { createOrganizations } from './features/orgs/service.ts';
import { createReach } from './features/perms/grants/reach.ts';
import { createGrants } from './features/perms/grants/service.ts';
import { takeTurnFor } from './features/perms/grants/turn.ts';
import { assetPermissionHooks } from './features/perms/permission-hooks.ts';
import { mountGrantRoutes } from './features/perms/routes.ts';
import { mountMailTest } from './features/settings/mail-test.ts';
import { removeOld } from './features/settings/retention.ts';
import { mountPublicSettings } from './features/settings/routes.ts';
import { createSettings } from './features/settings/service.ts';
import { mountSettings } from './features/settings/setting-routes.ts';
import { assertSameKey } from './features/settings/vault-check.ts';
import { mountSessionsByDay } from './features/terminal/by-day.ts';
import { commandHooks, sessionHooks } from './features/terminal/hooks.ts';
import { mountTerminalRoutes } from './features/terminal/routes.ts';
import { createAccess, createCredentials, createRoute } from './gateway/adapters/access.ts';
import { createHostKeys } from './gateway/adapters/host-keys.ts';
import { createSessionStore } from './gateway/adapters/session-store.ts';
import { mountGateway } from './gateway/adapters/sockets.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { recordingPaths } from './gateway/recorder/paths.ts';
import { type App, createApp } from './http/app.ts';
import { mountDocsPage } from './http/docs-page.ts';
import { mountApiDescription } from './http/openapi.ts';
import { mountPages } from './http/pages.ts';
import { mountRelation } from './http/relation/mount.ts';
import { createEngines, type Engines, mountResource } from './http/resource/mount.ts';
import { createProgressBoard, mountProgress } from './http/resource/progress.ts';
import { mountResourceSets } from './http/resource/resource-set.ts';
import { enableSockets } from './http/socket.ts';
import { type Bus, openBus } from './platform/bus/bus.ts';
import { createVault, readSecretKey, type Vault } from './platform/crypto/vault.ts';
import { assertReachable, type Database, openDatabase } from './platform/db/database.ts';
import { type EmbeddedDatabase, startEmbedded } from './platform/db/embedded.ts';
import { migrate } from './platform/db/migrate.ts';
import { createGate } from './platform/gate.ts';
import type { Logger } from './platform/log.ts';
import { claimFolder } from './platform/process.ts';

/** A running Sallyport. */
export interface Program {
  readonly app: App;
  readonly database: Database;
  readonly vault: Vault;
  readonly engines: Engines;
  readonly gateway: Gateway;
  /** Where it listens. */
  readonly url: string;
  /** Of the first administrator, when it was made up at this start. */
  readonly adminPassword: string | undefined;
  readonly recordingsDirectory: string;
  /** Lets nobody in any more, ends what runs, finishes recordings, stops the database. */
  stop(): Promise<void>;
}

/** So long a target may take to answer. */
const CONNECT_SECONDS = 15;
/** What was added to the audit logs is sealed so soon. */
const SEAL_MILLISECONDS = 60_000;
const HOUSEKEEPING_MILLISECONDS = 10 * 60_000;
/** How often it is asked whether it is time for something: no minute of a crontab may be missed. */
const CLOCK_MILLISECONDS = 20_000;
/** How often mail that could not be sent is looked at again; new mail goes at once. */
const MAIL_MILLISECONDS = 30_000;
/** Many changes at once ask the live sessions once. */
const RECHECK_DELAY_MILLISECONDS = 200;
/** Also without a change: an account may be disabled by hand in the database, a clock may be set. */
const RECHECK_EVERY_MILLISECONDS = 30_000;

/** Starts everything in its order. @throws StartError with one sentence for the operator */
export async function startProgram(config: Config, log: Logger): Promise<Program> {
  const undo: (() => Promise<unknown> | unknown)[] = [];
  const unwind = async () => {
    for (const step of undo.reverse()) await Promise.resolve(step()).catch((error: unknown) => log.error({ error: String(error) }, 'stopping: a step failed'));
  };
  try {
    return await start(config, log, undo, unwind);
  } catch (error) {
    await unwind();
    throw error;
  }
}

function prepareFolder(config: Config): void {
  try {
    mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
    accessSync(config.dataDirectory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `SALLYPORT_DATA_DIR: the folder ${config.dataDirectory} cannot be written (${(error as NodeJS.ErrnoException).code}). Give it to the account that runs Sallyport, or choose another: SALLYPORT_DATA_DIR='/var/lib/sallyport'`,
    );
  }
}

async function openStore(
  config: Config,
  log: Logger,
  undo: (() => unknown)[],
): Promise<{ database: Database; bus: Bus; applied: readonly string[]; lost: EmbeddedDatabase['lost'] | undefined }> {
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config.dataDirectory) : undefined;
  if (embedded) undo.push(() => embedded.stop());
  const url = config.databaseUrl ?? embedded?.url ?? '';
  const database = openDatabase(url, config.databasePoolSize);
  undo.push(() => database.close());
  if (!embedded) await assertReachable(database.pool);
  const applied = await migrate(database.pool);
  if (applied.length > 0) log.info({ applied }, 'the database was brought up to date');
  const bus = await openBus(url, database.pool, log);
  undo.push(() => bus.close());
  return { database, bus, applied, lost: embedded?.lost };
}

async function start(config: Config, log: Logger, undo: (() => Promise<unknown> | unknown)[], unwind: () => Promise<void>): Promise<Program> {
  prepareFolder(config);
  undo.push(claimFolder(config.dataDirectory));
  const authorities = readAuthorities(config.ldapCaFile);
  const vault = createVault(readSecretKey(config));
  const { database, bus, applied, lost } = await openStore(config, log, undo);
  const { db, pool } = database;
  await assertSameKey(db, vault);
  const chains = createAuditChains({ db, vault, directory: config.dataDirectory, log, isFirst: applied.includes('0023_audit_seals') });
  await chains.seal();
  undo.push(
    () => chains.seal(),
    everySoOften(SEAL_MILLISECONDS, () => chains.seal(), log),
  );
  const recordingsDirectory = join(config.dataDirectory, 'recordings');
  await mkdir(recordingsDirectory, { recursive: true, mode: 0o700 });

  const settings = createSettings(db, vault);
  const license = createLicense(db, config.licensePublicKey);
  const look = createInterface(db, () => license.isLicensed());
  /** Everything that one server changes and all others read again. */
  const reloadSettings = () => Promise.all([settings.reload(), license.reload(), look.reload()]);
  await reloadSettings();
  const organizations = createOrganizations(db);
  const grants = createGrants(db);
  const audit = writeOperateLog;
  const services = {
    db,
    vault,
    audit,
    organizationName: (id: string) => organizations.nameOf(id),
    takeTurn: takeTurnFor,
    progress: createProgressBoard(),
    longReads: createGate(config.databasePoolSize / 3),
  };
  const mailer = createMailer(settings);
  const engines = createEngines(
    {
      organization: createOrganizationHooks(license),
      user: createUserHooks(settings, mailer),
      user_group: userGroupHooks,
      node: nodeHooks,
      asset: createAssetHooks(license),
      admin_user: adminUserHooks,
      system_user: createSystemUserHooks(createReach(db)),
      gateway: gatewayHooks,
      domain: domainHooks,
      asset_permission: assetPermissionHooks,
      session: sessionHooks,
      command: commandHooks,
      login_log: loginLogHooks,
      operate_log: operateLogHooks,
      password_change_log: passwordChangeLogHooks,
      access_key: createAccessKeyHooks(vault),
    },
    services,
  );
  const authenticator = createAuthenticator({ db, organizations, settings, vault, publicUrl: config.publicUrl });
  const lockout = createLockout(db, settings);
  const factors = createSecondFactors(db, vault, settings, lockout);
  const directory = createDirectory({ db, settings, authorities, audit, log });
  undo.push(() => directory.stop());
  const signIns = createSignInService({ db, settings, lockout, factors, checkers: [directory.checker] });

  const limits = () => ({
    idleMinutes: settings.get('SECURITY_MAX_IDLE_TIME'),
    maximumHours: settings.get('SECURITY_MAX_SESSION_TIME'),
    connectSeconds: CONNECT_SECONDS,
  });
  const holder = `${hostname()}:${config.dataDirectory}`;
  const gateway = createGateway({
    recordingsDirectory,
    ports: {
      sessions: createSessionStore(db, holder),
      access: createAccess(db, grants),
      credentials: createCredentials(db, vault),
      route: createRoute(db, vault),
      hostKeys: createHostKeys(db),
      limits: { read: async () => limits() },
      log,
    },
  });
  await gateway.recover();
  listenToBus(bus, gateway, () => reloadSettings().then(() => gateway.hub.setLimits(limits())), log);
  undo.push(everySoOften(RECHECK_EVERY_MILLISECONDS, () => gateway.hub.recheck(), log));
  undo.push(everySoOften(HOUSEKEEPING_MILLISECONDS, () => clearExpiredSignIns(db), log));
  undo.push(everySoOften(HOUSEKEEPING_MILLISECONDS, () => clearPending(db), log));
  undo.push(
    everySoOften(
      HOUSEKEEPING_MILLISECONDS,
      async () => {
        const removed = await removeOld({ db, chains, settings, recordingsDirectory, log });
        if (removed) log.info({ removed }, 'what was kept long enough was removed');
      },
      log,
    ),
  );
  const mailJobs = createMailJobs({ db, mailer, settings, site: () => (config.publicUrl ?? settings.get('SITE_URL')).replace(/\/+$/, ''), log });
  bus.subscribe('mail', () => void mailJobs.run().catch((error: unknown) => log.error({ error: String(error) }, 'mail could not be sent')));
  undo.push(everySoOften(MAIL_MILLISECONDS, () => mailJobs.run(), log));
  undo.push(everySoOften(HOUSEKEEPING_MILLISECONDS, () => remindOfExpiry(db, settings, mailer), log));
  undo.push(everySoOften(CLOCK_MILLISECONDS, () => directory.importWhenDue(), log));

  const app = await createApp({ log, authenticator, trustedProxies: config.trustedProxies, isLicensed: () => license.isLicensed() });
  enableSockets(app.http);
  let isStopping = false;
  mountHealth(app.http, {
    pool,
    demo: config.demo,
    canRecord: () =>
      access(recordingsDirectory, constants.W_OK).then(
        () => true,
        () => false,
      ),
    isStopping: () => isStopping,
  });
  mountSettings(app.http, { db, settings, audit });
  mountMailTest(app.http, settings);
  directory.mount(app.http);
  mountPublicSettings(app.http, { settings, license, look, mailer, demo: config.demo });
  await mountLicense(app.http, { db, license, audit });
  await mountInterface(app.http, { db, look, audit });
  mountResourceSets(app.http, db);
  mountProgress(app.http, services.progress);
  for (const engine of engines.values()) mountResource(app.http, engine);
  for (const relation of RELATIONS) mountRelation(app.http, relation, engines, services);
  mountMembership(app.http, engines, services);
  mountInvitations(app.http, services);
  const limit = createRateLimit();
  mountIdentity(app.http, {
    db,
    engines,
    organizations,
    settings,
    authenticator,
    audit,
    lockout,
    signIns,
    factors,
    mailer,
    log,
    limit,
    signOutPage,
    publicUrl: config.publicUrl,
    signedOut: (_userId, sessionId) =>
      void bus.publish('signed_out', sessionId).catch((error: unknown) => log.error({ error: String(error) }, 'a sign-out was not passed on')),
  });
  mountOpenidTrial(app.http, { settings, publicUrl: config.publicUrl });
  mountOpenid(app.http, { db, audit, settings, vault, signIns, limit, log, publicUrl: config.publicUrl });
  mountProfile(app.http, { db, engines, organizations, settings, authenticator, audit, factors, signIns });
  mountNodeRoutes(app.http, { db, engines, audit });
  mountAudits(app.http, chains);
  mountHostKeys(app.http, { db, engines, audit });
  mountFavorites(app.http, db, async (userId, assetId) => (await grants.accounts({ userId, organizationId: undefined }, assetId)).length > 0);
  mountGrantRoutes(app.http, { db, engines, grants, settings });
  mountSessionsByDay(app.http, { db, engines });
  mountTerminalRoutes(app.http, {
    db,
    engines,
    audit,
    recordingFile: (id, start) => recordingPaths(recordingsDirectory, id, start).finished,
    terminate: (id, who) => bus.publish('terminate', JSON.stringify({ id, who })),
  });
  mountGateway(app.http, gateway, engines);
  mountApiDescription(app.http, app.routes);
  mountDocsPage(app.http);
  await mountPages(app.http, {
    folder: resolve(import.meta.dirname, '../../web/dist'),
    prepare: (reply) => {
      if (!reply.request.cookies[CSRF_COOKIE]) setCsrfCookie(reply, reply.request.protocol === 'https');
    },
  });

  const adminPassword = await ensureFirstAdministrator(db, config.adminPassword);
  undo.push(async () => {
    isStopping = true;
    await gateway.drain();
    await app.http.close();
  });
  await listen(app, config);
  void lost?.then((reason) => {
    if (isStopping) return;
    log.fatal({ reason }, 'the database is gone; stopping');
    void unwind().then(() => process.exit(1));
  });
  const address = app.http.server.address();
  const port = typeof address === 'object' && address ? address.port : config.httpPort;
  const host = ['0.0.0.0', '::'].includes(config.httpHost) ? 'localhost' : config.httpHost.includes(':') ? `[${config.httpHost}]` : config.httpHost;
  return { app, database, vault, engines, gateway, adminPassword, recordingsDirectory, url: `http://${host}:${port}/`, stop: unwind };
}

async function listen(app: App, config: Config): Promise<void> {
  try {
    await app.http.listen({ host: config.httpHost, port: config.httpPort });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(
        `SALLYPORT_HTTP_PORT: port ${config.httpPort} is in use. Stop the program that has it, or choose another: SALLYPORT_HTTP_PORT='8081'`,
      );
    if (code === 'EACCES')
      throw new StartError(`SALLYPORT_HTTP_PORT: this account may not listen on port ${config.httpPort}. Choose one above 1023: SALLYPORT_HTTP_PORT='8080'`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`SALLYPORT_HTTP_HOST: this machine does not have the address ${config.httpHost}. Example: SALLYPORT_HTTP_HOST='127.0.0.1'`);
    throw error;
  }
}

function listenToBus(bus: Bus, gateway: Gateway, reloadSettings: () => Promise<unknown>, log: Logger): void {
  const quietly = (work: Promise<unknown>) => void work.catch((error: unknown) => log.error({ error: String(error) }, 'a message of the bus failed'));
  let pending: NodeJS.Timeout | undefined;
  const recheck = () => {
    if (pending) return;
    pending = setTimeout(() => {
      pending = undefined;
      quietly(gateway.hub.recheck());
    }, RECHECK_DELAY_MILLISECONDS);
  };
  bus.subscribe('grants', recheck, recheck);
  bus.subscribe('signed_out', (sessionId) => gateway.hub.signOut(sessionId));
  bus.subscribe('terminate', (payload) => {
    const { id, who } = JSON.parse(payload) as { id: string; who: string };
    gateway.hub.terminate(id, who);
  });
  bus.subscribe(
    'settings',
    () => quietly(reloadSettings()),
    () => quietly(reloadSettings()),
  );
}

function everySoOften(milliseconds: number, work: () => Promise<unknown>, log: Logger): () => void {
  const timer = setInterval(() => {
    work().catch((error: unknown) => log.error({ error: String(error) }, 'housekeeping failed'));
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
