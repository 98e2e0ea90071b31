import type { Server } from 'node:http';
import { LISTENED_DATABASES, type ListenedDatabase } from '@sallyport/contract';
import { audits } from '../../features/audits/index.ts';
import { connections } from '../../features/connections/index.ts';
import { health } from '../../features/health/index.ts';
import { endSignInsOfDeadServers, identity } from '../../features/identity/index.ts';
import { metrics } from '../../features/metrics/index.ts';
import { perms } from '../../features/perms/index.ts';
import { DEAD_AFTER_SECONDS, servers } from '../../features/servers/index.ts';
import { sessions } from '../../features/sessions/index.ts';
import { settings } from '../../features/settings/index.ts';
import { storages } from '../../features/storages/index.ts';
import { defineModule } from '../../module.ts';
import { answers, openSideDatabase } from '../../platform/db/side-database.ts';
import { patternProblem, patternTest } from '../../platform/pattern.ts';
import { createGateway } from '../gateway.ts';
import { DISK_CHECK_MS, RECORDING_BURST } from '../limits.ts';
import { FilePool } from '../listeners/files/pool.ts';
import type { SshListener } from '../listeners/ssh/listener.ts';
import type { GatewayPorts } from '../ports.ts';
import { listenToBus } from './bus-subscriptions.ts';
import { createCanary } from './canary.ts';
import { type DatabaseListeners, startDatabaseListeners } from './databases/database-listeners.ts';
import { mountDatabaseRoutes } from './databases/database-routes.ts';
import { createElsewhere, serveOthers } from './elsewhere.ts';
import { mountFileChangeRoutes } from './files/file-change-routes.ts';
import { mountFileRoutes } from './files/file-routes.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { mountGateway } from './sockets.ts';
import { startSshListener } from './ssh/ssh-listener.ts';
import { mountSshRoutes } from './ssh/ssh-routes.ts';

const MEBIBYTE = 1024 * 1024;
/** Timeout of one step on the way to a target. */
const CONNECT_SECONDS = 15;
/**
 * The check also runs without a change: accounts expire, and rows may be edited by hand in the
 * database.
 */
const RECHECK_EVERY_MILLISECONDS = 30_000;

/** Interval between probes of the database while sessions are open. */
const DATABASE_CHECK_MILLISECONDS = 2_000;
const ORPHAN_CHECK_MILLISECONDS = 5_000;
/** Interval between comparisons of the open rows with the live sessions. */
const RECONCILE_MILLISECONDS = 60_000;
const CANARY_CHECK_MILLISECONDS = 5_000;
/** Interval between searches for idle file connections. */
const IDLE_CHECK_MILLISECONDS = 60_000;

/** The gateway: connects users to assets. Its ports are implemented by the features. */
export const gateway = defineModule({
  name: 'gateway',
  tables: ['listener_key', 'database_password', 'session_journal'],
  async create({ core: { db, pool, vault, bus, config, log, recordings }, use }) {
    const inForce = use(settings);
    const limits = () => ({
      idleMinutes: inForce.get('SECURITY_MAX_IDLE_TIME'),
      maximumHours: inForce.get('SECURITY_MAX_SESSION_TIME'),
      connectSeconds: CONNECT_SECONDS,
      sessionsPerPerson: inForce.get('SECURITY_MAX_SESSIONS'),
      keepSeconds: inForce.get('SECURITY_SESSION_KEEP_TIME') * 60,
      outageSeconds: inForce.get('SECURITY_SESSION_OUTAGE_TIME') * 60,
      recordingBytes: inForce.get('TERMINAL_RECORDING_MAX_SIZE') * MEBIBYTE,
      recordingBytesPerSecond: inForce.get('TERMINAL_RECORDING_MAX_RATE') * MEBIBYTE,
      recordingBurstBytes: RECORDING_BURST,
      diskReserveBytes: inForce.get('TERMINAL_RECORDING_DISK_RESERVE') * MEBIBYTE,
      recordsKeys: inForce.get('TERMINAL_RECORDING_KEYS'),
    });
    let http: Server | undefined;
    let ssh: SshListener | undefined;
    let databases: DatabaseListeners | undefined;
    const probe = openSideDatabase(pool, 'probe');
    const others = use(servers);
    const { invitations } = use(sessions);
    const ledger = await openLedger({ db, pool, config, log }, others, invitations);
    const { rows } = ledger;
    // A server that lost the database keeps its sessions for a while. Others must not declare it
    // dead earlier.
    const deadAfter = () => DEAD_AFTER_SECONDS + limits().outageSeconds;
    use(connections).addOwnPorts(() => [
      ...ownPorts(http),
      ...(ssh ? [ssh.port] : []),
      ...LISTENED_DATABASES.flatMap((kind) => databases?.port(kind) || []),
    ]);
    const ports: GatewayPorts = {
      ...use(connections).ports,
      sessions: ledger.sessions,
      ...(!others.isAlone && { elsewhere: createElsewhere(rows, others) }),
      isAccepting: use(storages).isActive,
      fileLog: ledger.fileLog,
      limits: { read: async () => limits() },
      isSignedIn: () => {
        const pattern = inForce.get('TERMINAL_TELNET_REGEX');
        // Patterns stored before validation existed may be invalid.
        return pattern === '' || patternProblem(pattern) ? undefined : patternTest(pattern);
      },
      invitations: ledger.invitations,
      async pastStatements({ person, grant }, search) {
        // A statement that was answered a moment ago may still be in the journal.
        await ledger.settled();
        return use(sessions).pastStatements(
          {
            organizationId: grant.asset.orgId,
            userId: person.userId,
            databaseId: grant.asset.id,
            systemUserId: grant.systemUser.id,
          },
          search,
          person.language,
        );
      },
      disk: { freeBytes: () => recordings.freeBytes(), folder: config.dataDirectory },
      databaseAnswers: () => answers(probe),
    };
    const gateway = createGateway({ recordings, ports });
    const service = {
      ...gateway,
      sshPort: () => ssh?.port ?? 0,
      databasePort: (kind: ListenedDatabase) => databases?.port(kind) ?? 0,
    };
    const canary = createCanary({
      db,
      log,
      recordings,
      ports,
      hub: gateway.hub,
      sessions: ledger.canary,
      holder: others.id,
      minutes: () => inForce.get('TERMINAL_CANARY_MINUTES'),
      report: use(storages).reportCanary,
    });
    use(health).addNote('canary', canary.isWell);
    const files = { pool: new FilePool(ports, service.hub), log };
    await service.recover();
    listenToBus(bus, service, rows, log);
    bus.subscribe('signed_out', (loginId) => ssh?.signOut(loginId));
    use(metrics).addLive(() =>
      service.hub.list().map(({ grant, kind, watchers }) => ({
        protocol: grant.systemUser.protocol,
        kind,
        watchers,
      })),
    );
    use(health).addNote('recording_storage', use(storages).isStorageWell);
    use(health).addNote('command_storage', use(storages).isCommandStorageWell);
    if (config.sshPort !== 0) use(health).addCheck('ssh', () => ssh?.isListening === true);
    if (config.mysqlPort !== 0)
      use(health).addCheck('mysql', () => databases?.isListening('mysql') === true);
    if (config.postgresqlPort !== 0)
      use(health).addCheck('postgresql', () => databases?.isListening('postgresql') === true);
    serveOthers(others.channel, gateway);
    others.onLapse(() => service.endInterrupted());
    inForce.onReload(() => {
      canary
        .tick()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the self-test could not be run'),
        );
      service.hub.setLimits(limits());
      // The changed setting may no longer allow guests.
      service.hub
        .recheckGuests()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the guests could not be checked'),
        );
    });
    return {
      service,
      routes: (site) => {
        http = site.http.server;
        mountGateway(site.http, service, site.engines, ledger.invitations);
        mountFileRoutes(site.http, files);
        mountFileChangeRoutes(site.http, files);
        mountSshRoutes(site.http, { db, config, port: service.sshPort });
        mountDatabaseRoutes(site.http, {
          db,
          config,
          ports,
          audit: use(audits).write,
          listeners: () => databases,
        });
      },
      timers: [
        { everyMilliseconds: CANARY_CHECK_MILLISECONDS, run: () => canary.tick() },
        { everyMilliseconds: DATABASE_CHECK_MILLISECONDS, run: () => service.checkDatabase() },
        { everyMilliseconds: DISK_CHECK_MS, run: () => service.checkDisk() },
        { everyMilliseconds: RECHECK_EVERY_MILLISECONDS, run: () => service.hub.recheck() },
        ...(others.isAlone
          ? []
          : [
              {
                everyMilliseconds: ORPHAN_CHECK_MILLISECONDS,
                run: () =>
                  Promise.all([
                    rows.interruptOrphans(deadAfter()),
                    endSignInsOfDeadServers(db, others.id, deadAfter()),
                  ]),
              },
            ]),
        {
          everyMilliseconds: RECONCILE_MILLISECONDS,
          run: async () => {
            await ledger.writeLeftEnds();
            await service.closeDead();
          },
        },
        { everyMilliseconds: IDLE_CHECK_MILLISECONDS, run: async () => files.pool.closeIdle() },
      ],
      async start() {
        ssh = await startSshListener({
          core: { db, vault, config, log, recordings },
          gateway,
          ports,
          people: use(identity),
          grants: use(perms),
          invitations,
          settings: inForce,
        });
        databases = await startDatabaseListeners({
          core: { db, vault, config, recordings },
          gateway,
          ports,
          limit: use(identity).limit,
        });
      },
      async leave() {
        ssh?.stopAccepting();
        databases?.stopAccepting();
        await service.leave(inForce.get('TERMINAL_STOP_WAIT'));
      },
      async drain() {
        ssh?.stopAccepting();
        databases?.stopAccepting();
        await service.drain();
        ssh?.stop();
        databases?.stop();
      },
      async stop() {
        ssh?.stop();
        databases?.stop();
        await probe.close();
        await ledger.close();
      },
    };
  },
});

function ownPorts(http: Server | undefined): readonly number[] {
  const address = http?.address();
  return typeof address === 'object' && address ? [address.port] : [];
}
