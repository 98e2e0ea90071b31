import { DRILL_PROBLEMS } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import { DrillFailure } from '../../features/backups/index.ts';
import { withDatabase } from '../with-database.ts';
import { drill } from './drill.ts';

/** Runs a restore drill for an operator. Returns the exit status: 2 if it did not pass. */
export function drillCommand(
  config: Config,
  folder: string | undefined,
  say: (line: string) => void,
): Promise<number> {
  return withDatabase(config, async ({ url, db }) => {
    const started = performance.now();
    try {
      await drill(config, { url, db, folder, startedBy: 'Command line', say });
    } catch (error) {
      if (!(error instanceof DrillFailure)) throw error;
      say(`The drill did not pass. ${DRILL_PROBLEMS[error.problem].en}: ${error.message}`);
      return 2;
    }
    say(`The drill passed in ${((performance.now() - started) / 1_000).toFixed(1)} seconds.`);
    return 0;
  });
}
