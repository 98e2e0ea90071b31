import type { Config } from '../config.ts';
import { PROCESS_SOCKETS } from '../features/servers/index.ts';
import { prepareSocketFolder } from '../platform/db/socket-folder.ts';
import type { Logger } from '../platform/log.ts';
import { reportReady } from '../platform/process/supervisor.ts';
import type { Lifetime } from './lifetime.ts';
import { openFolder } from './open-folder.ts';
import { Processes } from './process-group.ts';
import { listenForUpgrades } from './upgrade-socket.ts';

/**
 * Runs a server as processes that share its ports. This one holds the data folder, its database and
 * the ports, and replaces processes that died. The kernel gives each connection to a process that
 * accepts it. For an upgrade, processes of the new program take over, and the old ones keep their
 * sessions until they end.
 * Returns true when all are ready, and false if the server is stopping before. Ends this process if
 * the first one cannot start.
 */
export async function runProcesses(
  config: Config,
  log: Logger,
  lifetime: Lifetime,
  flags: readonly string[],
): Promise<boolean> {
  const folder = await openFolder(config, log, lifetime);
  prepareSocketFolder(config.dataDirectory, {}, PROCESS_SOCKETS);
  const embedded = await folder.embedded;
  const processes = new Processes(config, log, flags);
  // The last step added runs first: the processes end before their database.
  lifetime.onStop(() => processes.end());
  lifetime.onLeave(() => processes.leave());
  void embedded?.lost.then((reason) => {
    if (!processes.isEnding) lifetime.fail(`the database is gone: ${reason}`);
  });
  const failed = await processes.start();
  if (processes.isEnding) return false;
  if (failed) {
    processes.isEnding = true;
    // Its message is printed. The supervisor acts on the status.
    await folder.undo.run();
    process.exit(failed.status);
  }
  lifetime.onStop(await listenForUpgrades(config, (to) => processes.upgrade(to)));
  process.stdout.write(`${processes.lines.join('\n')}\n`);
  reportReady();
  return true;
}
