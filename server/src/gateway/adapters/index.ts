import type { Server } from 'node:http';
import { audits } from '../../features/audits/index.ts';
import { connections } from '../../features/connections/index.ts';
import { health } from '../../features/health/index.ts';
import { endSignInsOfDeadServers } from '../../features/identity/index.ts';
import { DEAD_AFTER_SECONDS, servers } from '../../features/servers/index.ts';
import { sessions } from '../../features/sessions/index.ts';
import { settings } from '../../features/settings/index.ts';
import { storages } from '../../features/storages/index.ts';
import { defineModule, type ModuleContext, type Site, type Timer } from '../../module.ts';
import { isDatabaseClosed } from '../../platform/db/connection.ts';
import { openSideDatabase } from '../../platform/db/side-database.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { DISK_CHECK_MS } from '../limits.ts';
import { refusalOfAgent } from '../listeners/agents/leashed-ports.ts';
import { runAgentCommand } from '../listeners/agents/run-agent-command.ts';
import { runAgentStatement } from '../listeners/agents/run-agent-statement.ts';
import { useAgentFile } from '../listeners/agents/use-agent-file.ts';
import { createClusterGateway } from '../listeners/clusters/open-cluster.ts';
import { FilePool } from '../listeners/files/pool.ts';
import type { GatewayPorts } from '../ports.ts';
import { listenToBus, listenToInterventions } from './bus-subscriptions.ts';
import { type Canary, createCanary } from './canary.ts';
import { createPorts, limitsOf } from './create-ports.ts';
import { mountDatabaseRoutes } from './databases/database-routes.ts';
import { serveOthers } from './elsewhere.ts';
import { mountFileChangeRoutes } from './files/file-change-routes.ts';
import { mountFileRoutes } from './files/file-routes.ts';
import { relayFileRequests } from './files/files-elsewhere.ts';
import { createRemovalJob } from './files/remove-kept-uploads.ts';
import { createScreenJob } from './index-screens.ts';
import { type OpenedLedger, openLedger } from './ledger/open-ledger.ts';
import { Listeners } from './listeners.ts';
import { reasonToStop } from './reason-to-stop.ts';
import { restoreRecordings } from './restore-recordings.ts';
import { createSites } from './sites.ts';
import { mountGateway } from './sockets.ts';
import { readPublicKeys } from './ssh/listener-keys.ts';
import { mountSshRoutes } from './ssh/ssh-routes.ts';

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

/** The running gateway and its surroundings. */
interface Parts {
  readonly gateway: Gateway;
  readonly ports: GatewayPorts;
  readonly ledger: OpenedLedger;
  readonly listeners: Listeners;
  readonly canary: Canary;
  readonly files: FilePool;
}

/** The gateway: connects users to assets. Its ports are implemented by the features. */
export const gateway = defineModule({
  name: 'gateway',
  tables: ['listener_key', 'database_password', 'session_journal', 'kept_upload'],
  async create(context) {
    const { core, use } = context;
    const { db, log, recordings } = core;
    const inForce = use(settings);
    const others = use(servers);
    const probe = openSideDatabase(core.pool, 'probe');
    const sharesFolder = others.processes.isJoining;
    const { invitations } = use(sessions);
    const ledger = await openLedger(
      core,
      { ...others, sharesFolder },
      { invitations, settings: inForce, recordIfLost: context.use(audits).recordIfLost },
    );
    const ports = createPorts(context, ledger, probe);
    const gateway = createGateway({ recordings, ports, sharesFolder });
    const { hub } = gateway;
    const listeners = new Listeners();
    const tunnels = createSites(context, others);
    use(connections).sshListener.set(() => ({
      port: () => listeners.sshPort,
      hostKeys: () => readPublicKeys(db),
    }));
    use(connections).setTunnels(tunnels.to);
    const canary = createCanary({
      db,
      log,
      recordings,
      ports,
      hub,
      sessions: ledger.canary,
      holder: others.id,
      minutes: () => inForce.get('TERMINAL_CANARY_MINUTES'),
      report: use(storages).reportCanary,
    });
    const parts = { gateway, ports, ledger, listeners, canary, files: new FilePool(ports, hub) };
    const surroundings = { ports, hub, recordings };
    use(connections).runner.set(() => ({
      refusalOf: (place) => refusalOfAgent(place, ports),
      run: (command) => runAgentCommand(command, surroundings),
      file: (file) => useAgentFile(file, surroundings),
      query: (statement) => runAgentStatement(statement, surroundings),
    }));
    use(connections).setClusters(createClusterGateway(surroundings));
    await gateway.recover();
    listenToChanges(context, parts);
    addReports(context, parts);
    serveOthers(others.channel, gateway);
    return {
      service: { sshPort: () => listeners.sshPort },
      routes: (site) => mountRoutes(context, parts, site),
      timers: [...timersOf(context, parts), tunnels.timer],
      jobs: [
        createScreenJob({
          db,
          log,
          settings: inForce,
          recordings: use(sessions).recordings,
          stopping: core.stopping,
        }),
        createRemovalJob({ db, log, remote: use(connections).remote, stopping: core.stopping }),
      ],
      start: () => listeners.start(context, { ports, gateway, sites: tunnels.ssh }),
      async leave() {
        listeners.stopAccepting();
        await gateway.leave(inForce.get('TERMINAL_STOP_WAIT'));
      },
      async handOver() {
        await listeners.handOver();
        await gateway.hub.emptied();
      },
      async drain() {
        listeners.stopAccepting();
        const answers = ports.databaseAnswers ?? (async () => true);
        await gateway.drain(await reasonToStop(core.config.dataDirectory, answers));
        listeners.stop();
      },
      async stop() {
        listeners.stop();
        await probe.close();
        await ledger.close();
      },
    };
  },
});

/** Applies changes of rights and settings to the open sessions. */
function listenToChanges(
  { core: { bus, log }, use }: ModuleContext,
  { gateway, ledger, listeners, canary }: Parts,
): void {
  const { hub } = gateway;
  listenToBus(bus, gateway, ledger.rows, log);
  listenToInterventions(bus, gateway, use(sessions).locks, log);
  bus.subscribe('signed_out', (loginId) => listeners.signOut(loginId));
  use(servers).onLapse(() => gateway.endInterrupted());
  const inForce = use(settings);
  inForce.onReload(() => {
    if (use(servers).processes.isFirst)
      canary.tick().catch((error: unknown) => {
        if (!isDatabaseClosed(error))
          log.error({ error: String(error) }, 'the self-test could not be run');
      });
    hub.setLimits(limitsOf(inForce));
    // The changed setting may no longer allow guests.
    hub
      .recheckGuests()
      .catch((error: unknown) =>
        log.error({ error: String(error) }, 'the guests could not be checked'),
      );
  });
}

/** Adds the gateway to the health and the metrics of this server. */
function addReports(context: ModuleContext, { gateway, listeners, canary, ledger }: Parts): void {
  const { addNote, setLiveSessions } = context.use(health);
  const { isStorageWell, isCommandStorageWell } = context.use(storages);
  addNote('canary', canary.isWell);
  addNote('journal_cover', () => (ledger.keepsAll() ? undefined : false));
  addNote('recording_storage', isStorageWell);
  addNote('command_storage', isCommandStorageWell);
  listeners.addHealthChecks(context);
  setLiveSessions(() =>
    gateway.hub.list().map(({ grant, kind, watchers }) => ({
      protocol: grant.systemUser.protocol,
      kind,
      watchers,
    })),
  );
}

function mountRoutes(
  { core: { db, config, log }, use }: ModuleContext,
  { gateway, ports, ledger, listeners, files }: Parts,
  { http, engines }: Site,
): void {
  use(connections).addOwnPorts(() => [...ownPorts(http.server), ...listeners.ports()]);
  mountGateway(http, gateway, engines, ledger.invitations);
  relayFileRequests(http, use(servers), files);
  mountFileRoutes(http, { pool: files, log });
  mountFileChangeRoutes(http, { pool: files, log });
  mountSshRoutes(http, { db, config, port: () => listeners.sshPort });
  mountDatabaseRoutes(http, {
    db,
    config,
    ports,
    audit: use(audits).write,
    listeners: () => listeners.databases,
  });
}

function ownPorts(http: Server): readonly number[] {
  const address = http.address();
  return typeof address === 'object' && address ? [address.port] : [];
}

function timersOf(
  { core: { db, log, recordings }, use }: ModuleContext,
  { gateway, ledger, canary, files }: Parts,
): readonly Timer[] {
  const others = use(servers);
  const endOrphans = () => {
    // A server that lost the database keeps its sessions for a while. Others must not declare it
    // dead earlier.
    const seconds = DEAD_AFTER_SECONDS + limitsOf(use(settings)).outageSeconds;
    return Promise.all([
      ledger.rows.interruptOrphans(seconds),
      endSignInsOfDeadServers(db, others.id, seconds),
    ]);
  };
  let restoring: Promise<void> | undefined;
  const restore = async () => {
    if (!others.processes.isFirst) return;
    // A long recording takes longer than the interval.
    restoring ??= restoreRecordings({
      recordings,
      claim: use(storages).claimCopies,
      log,
    }).finally(() => {
      restoring = undefined;
    });
    await restoring;
  };
  const reconcile = async () => {
    await ledger.writeLeftEnds();
    await gateway.closeDead();
    await gateway.finishLeft();
  };
  return [
    ...(others.processes.isFirst
      ? [
          {
            everyMilliseconds: CANARY_CHECK_MILLISECONDS,
            run: async () => (others.processes.isFirst ? canary.tick() : undefined),
          },
        ]
      : []),
    { everyMilliseconds: DATABASE_CHECK_MILLISECONDS, run: () => gateway.checkDatabase() },
    { everyMilliseconds: DISK_CHECK_MS, run: () => gateway.checkDisk() },
    { everyMilliseconds: RECHECK_EVERY_MILLISECONDS, run: () => gateway.hub.recheck() },
    ...(others.isAlone
      ? []
      : [endOrphans, restore].map((run) => ({
          everyMilliseconds: ORPHAN_CHECK_MILLISECONDS,
          run,
        }))),
    { everyMilliseconds: RECONCILE_MILLISECONDS, run: reconcile },
    { everyMilliseconds: IDLE_CHECK_MILLISECONDS, run: async () => files.closeIdle() },
  ];
}
