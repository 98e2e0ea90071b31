import { hostname } from 'node:os';
import { defineModule } from '../../module.ts';
import { holderOf } from './holder.ts';
import { beat, leave, registerTerminal, type TerminalFacts } from './register.ts';
import { terminalHooks } from './terminal-hooks.ts';

const HEARTBEAT_MILLISECONDS = 20_000;

/** The servers of the installation: each registers as a terminal, says that it is alive, and accepts sessions until it is retired. */
export const terminals = defineModule({
  name: 'terminals',
  tables: ['terminal'],
  async create({ core: { db, bus, config, log } }) {
    const facts: TerminalFacts = {
      holder: holderOf(config),
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
    return {
      service: {
        /** Names this server in its rows. */
        holder: facts.holder,
        /** Whether this server accepts new sessions. */
        isActive: () => isActive,
      },
      hooks: { terminal: terminalHooks },
      timers: [{ everyMilliseconds: HEARTBEAT_MILLISECONDS, run: refresh }],
      stop: () => leave(db, facts),
    };
  },
});
