import { hostname } from 'node:os';
import type pg from 'pg';
import { defineModule } from '../../module.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { defineHousekeeping } from '../../platform/jobs/definition.ts';
import { servers } from '../servers/index.ts';
import { createCommandIndexes, moveCommands } from '../sessions/index.ts';
import { settings } from '../settings/index.ts';
import { storageAttention } from './attention.ts';
import { commandStorageHooks } from './command-storage-hooks.ts';
import { moveRecordings } from './move-recordings.ts';
import { beat, leave, registerTerminal, reportCanary, type TerminalFacts } from './register.ts';
import { connectStorages, missedNewest, testFailure } from './replay-storages.ts';
import { replayStorageHooks } from './storage-hooks.ts';
import { mountStorageTest } from './storage-routes.ts';
import { terminalHooks } from './terminal-hooks.ts';
import { storageErrors } from './upload.ts';

export { remarksOn } from './kept-content.ts';
export type { RestorableRecording } from './recording-copies.ts';
export { recordingsOnDisks } from './recording-homes.ts';
export {
  bucketOf,
  bucketsToTry,
  connectStorages,
  storageById,
  storageOfTerminal,
} from './replay-storages.ts';

const SEE_COMMANDS_MILLISECONDS = 20_000;
/**
 * The servers of the installation. Each registers as a terminal, sends heartbeats, and accepts
 * sessions until it is retired.
 */
export const storages = defineModule({
  name: 'storages',
  tables: ['terminal', 'replay_storage', 'command_storage', 'recording_copy'],
  async create({ core: { db, bus, config, log, vault, recordings }, use }) {
    const { serverId, processes } = use(servers);
    const facts: TerminalFacts = {
      holder: serverId,
      hostname: hostname(),
      sshPort: config.sshPort,
      httpPort: config.httpPort,
    };
    const inForce = use(settings);
    const isAccepted = () => inForce.get('SECURITY_SERVICE_ACCOUNT_REGISTRATION');
    await registerTerminal(db, facts, isAccepted());
    let isActive = await beat(db, facts, isAccepted());
    if (!isActive)
      log.warn(
        'this server is retired and accepts no sessions until it is activated under Terminals',
      );
    const refresh = async () => {
      const before = isActive;
      isActive = await beat(db, facts, isAccepted());
      if (isActive !== before)
        log.info(
          { isActive },
          isActive
            ? 'this server accepts sessions again'
            : 'this server was retired and accepts no new sessions',
        );
    };
    const hear = () =>
      void refresh().catch((error: unknown) =>
        log.error({ error: String(error) }, 'the terminal of this server could not be read'),
      );
    bus.subscribe('terminals', hear, hear);
    const heartbeatSeconds = () => inForce.get('TERMINAL_HEARTBEAT_INTERVAL');
    let pace = 0;
    let heartbeats: NodeJS.Timeout | undefined;
    const keepPace = () => {
      if (pace === heartbeatSeconds()) return;
      pace = heartbeatSeconds();
      clearInterval(heartbeats);
      heartbeats = setInterval(hear, pace * 1000).unref();
      // The other servers expect the next heartbeat by the new interval.
      hear();
    };
    connectStorages(recordings, db, vault);
    const moving = moveRecordings({ db, bus, log, vault, recordings }, use(servers));
    const indexes = createCommandIndexes(vault);
    const commands = commandStorages(db, bus);
    bus.subscribe('command_storages', () => void commands.see().catch(() => undefined));
    await commands.see();
    return {
      attention: storageAttention,
      service: {
        /** The id of this server in its rows. */
        holder: facts.holder,
        /** Stores the result of the self-test of this server. */
        reportCanary: (result: Parameters<typeof reportCanary>[2]) =>
          reportCanary(db, facts, result),
        /** Returns true if this server accepts new sessions. */
        isActive: () => isActive,
        /** Returns true if the last run moved all recordings. The others are still on the disk. */
        isStorageWell: moving.isWell,
        /** Counts the finished recordings of this server that wait for their bucket. */
        waitingRecordings: moving.waiting,
        /** Claims recordings of dead servers, to restore them from the parts in their bucket. */
        claimCopies: moving.claimCopies,
        /**
         * Returns true if the command storages accepted everything. The other commands are still in
         * the database.
         */
        isCommandStorageWell: commands.isWell,
      },
      hooks: {
        terminal: terminalHooks(heartbeatSeconds),
        replay_storage: replayStorageHooks({
          holds: (storage, tx) => missedNewest(recordings, vault, { storage, tx }),
          tests: (storage, tx) => testFailure(recordings, vault, { storage, tx }),
        }),
        command_storage: commandStorageHooks,
      },
      routes: ({ http, engines }) =>
        mountStorageTest(http, { db, vault, engines, recordings, indexes }),
      jobs: [
        createUploadJob(bus),
        // One server moves the commands of all: they share the database.
        defineHousekeeping({
          name: 'move-commands',
          title: { en: 'Move commands to their storage', zh: '上传命令到存储' },
          everyMinutes: 1,
          run: () => moveCommands({ db, indexes, log, report: commands.report }),
        }),
      ],
      timers: [
        { everyMilliseconds: SEE_COMMANDS_MILLISECONDS, run: commands.see },
        ...moving.timers,
      ],
      start() {
        inForce.onReload(keepPace);
        keepPace();
      },
      async stop() {
        clearInterval(heartbeats);
        await moving.stop();
        return processes.isFirst ? leave(db, facts) : undefined;
      },
    };
  },
});

/** Renames a server. Its terminal keeps its display name and storages. */
export async function moveTerminal(
  client: Pick<pg.ClientBase, 'query'>,
  from: string,
  to: string,
): Promise<void> {
  await client.query('update terminal set holder = $2 where holder = $1', [from, to]);
}

const createUploadJob = (bus: Bus) =>
  defineHousekeeping({
    name: 'upload-recordings',
    title: { en: 'Move recordings to their storage', zh: '上传录像到存储' },
    everyMinutes: 1,
    run: () => bus.publish('upload_recordings', ''),
  });

/** The state of the command storages, as the last run on any server reported it. */
function commandStorages(db: Db, bus: Bus) {
  let isHealthy = true;
  return {
    isWell: () => isHealthy,
    /** Reads the state. */
    async see(): Promise<void> {
      const { rows } = await sql`select from command_storage where problem <> '' limit 1`.execute(
        db,
      );
      isHealthy = rows.length === 0;
    },
    /** Stores the problem of a storage; '' for none. */
    async report(id: string, problem: string): Promise<void> {
      if (problem !== '') storageErrors.add({ storage: 'commands' });
      const { rowCount } = await sql`update command_storage
          set problem = ${problem} where id = ${id} and problem <> ${problem}`.execute(db);
      if (rowCount) await bus.publish('command_storages', '');
    },
  };
}
