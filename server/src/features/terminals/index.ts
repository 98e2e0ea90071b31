import { hostname } from 'node:os';
import { defineModule } from '../../module.ts';
import { defineHousekeeping } from '../../platform/jobs/definition.ts';
import { servers } from '../servers/index.ts';
import { connectStorages } from './elsewhere.ts';
import { beat, leave, registerTerminal, type TerminalFacts } from './register.ts';
import { replayStorageHooks } from './storage-hooks.ts';
import { mountStorageTest } from './storage-routes.ts';
import { terminalHooks } from './terminal-hooks.ts';
import { createUploader } from './upload.ts';

const HEARTBEAT_MILLISECONDS = 20_000;

/** The servers of the installation: each registers as a terminal, says that it is alive, and accepts sessions until it is retired. */
export const terminals = defineModule({
  name: 'terminals',
  tables: ['terminal', 'replay_storage'],
  async create({ core: { db, bus, config, log, vault, recordings }, use }) {
    const facts: TerminalFacts = {
      holder: use(servers).id,
      hostname: hostname(),
      sshPort: config.sshPort,
      httpPort: config.httpPort,
    };
    await registerTerminal(db, facts);
    let isActive = await beat(db, facts);
    const refresh = async () => {
      const before = isActive;
      isActive = await beat(db, facts);
      if (isActive !== before) log.info({ isActive }, isActive ? 'this server accepts sessions again' : 'this server was retired and accepts no new sessions');
    };
    const hear = () => void refresh().catch((error: unknown) => log.error({ error: String(error) }, 'the terminal of this server could not be read'));
    bus.subscribe('terminals', hear, hear);
    connectStorages(recordings, db, vault);
    // Recordings are on the disk of the server that made them: each server moves its own.
    const uploader = createUploader({ db, vault, recordings, holder: facts.holder, log });
    bus.subscribe('upload_recordings', () => void uploader.run());
    return {
      service: {
        /** Names this server in its rows. */
        holder: facts.holder,
        /** Whether this server accepts new sessions. */
        isActive: () => isActive,
        /** Whether the storage took all recordings that were to be moved; what it did not take is on the disk. */
        isStorageWell: uploader.isWell,
      },
      hooks: { terminal: terminalHooks, replay_storage: replayStorageHooks },
      routes: ({ http, engines }) => mountStorageTest(http, { db, vault, engines, recordings }),
      jobs: [
        defineHousekeeping({
          name: 'upload-recordings',
          title: { en: 'Move recordings to their storage', zh: '上传录像到存储' },
          everyMinutes: 1,
          run: () => bus.publish('upload_recordings', ''),
        }),
      ],
      timers: [{ everyMilliseconds: HEARTBEAT_MILLISECONDS, run: refresh }],
      stop: () => leave(db, facts),
    };
  },
});
