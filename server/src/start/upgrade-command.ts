import type { Config } from '../config.ts';
import type { Call } from './command-words.ts';
import { requestUpgrade } from './upgrade-socket.ts';

/** Tells a package that it has to restart the service (EX_UNAVAILABLE of sysexits.h). */
const UNAVAILABLE = 69;

/** Upgrades the running server. Returns the exit status. @throws StartError with the reason */
export async function upgradeCommand(
  config: Config,
  { flags, print, printError }: Pick<Call, 'flags' | 'print' | 'printError'>,
): Promise<number> {
  if (await requestUpgrade(config, flags.to)) {
    print(
      'The new program accepts all connections. The old one keeps its sessions until they end.\n',
    );
    return 0;
  }
  printError(
    `No server that can be upgraded while it runs uses the data folder ${config.dataDirectory}. One with SALLYPORT_PROCESSES=1 or sample data cannot: restart it.\n`,
  );
  return UNAVAILABLE;
}
