// Run by hostile-sessions.ts: browsers with terminals that show and acknowledge all output.
import type { Login } from './attacks.ts';
import { runPart } from './part-process.ts';
import { BastionTerminal } from './terminal.ts';

const OPENED_AT_ONCE = 10;

export interface TerminalClientsOptions {
  readonly url: string;
  readonly token: string;
  readonly login: Login;
  readonly count: number;
}

runPart(async ({ url, token, login, count }: TerminalClientsOptions) => {
  let ended = 0;
  for (let from = 0; from < count; from += OPENED_AT_ONCE) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, count - from) }, () =>
      BastionTerminal.open(url, token, login),
    );
    for (const terminal of await Promise.all(some))
      void terminal.closed.then(() => {
        ended += 1;
        process.stderr.write(`${ended} terminals have ended early\n`);
      });
  }
  return {};
});
