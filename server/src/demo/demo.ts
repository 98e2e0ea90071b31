import type { Logger } from '../platform/log.ts';
import type { Program } from '../program.ts';
import { DEMO_PASSWORD, PEOPLE } from './people/people.ts';
import { fillSampleData } from './sample-data.ts';
import { startTarget } from './target.ts';

/** What the demo added to a program that runs. */
export interface Demo {
  /** Who can sign in with what, to be printed at the start. */
  readonly lines: readonly string[];
  /** Stops the sandboxed SSH server; call it before the program itself is stopped. */
  stop(): Promise<void>;
}

/** Fills the sample data if it is not there, and starts the sandboxed SSH server that the demo's own hosts lead to. */
export async function fillDemo(program: Program, dataDirectory: string, log: Logger): Promise<Demo> {
  const { database, vault, recordingsDirectory } = program;
  const began = performance.now();
  const target = await startTarget({ db: database.db, vault, dataDirectory });
  try {
    const filled = await fillSampleData({ db: database.db, vault, recordingsDirectory, port: target.port });
    if (filled) log.info({ milliseconds: Math.round(performance.now() - began) }, 'the sample data is filled');
    await target.admit();
  } catch (error) {
    await target.stop();
    throw error;
  }
  const names = PEOPLE.filter(({ canSignIn }) => canSignIn).map(({ username, role }) => `${username} (${role === 'Auditor' ? 'auditor' : 'user'})`);
  return {
    lines: [
      `Sample accounts: ${names.join(' and ')}, password ${DEMO_PASSWORD}. Sign in as demo to type in the shell of demo-shell, as auditor to watch and replay.`,
    ],
    stop: () => target.stop(),
  };
}
