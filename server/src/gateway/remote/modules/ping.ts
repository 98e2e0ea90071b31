import { remoteModule } from '../module.ts';

/** Verifies that the account has a shell that runs commands. */
export const ping = remoteModule<undefined, undefined>({
  name: 'ping',
  runsAs: 'account',
  answer: 'report',
  script: 'go; echo done',
  values: () => [],
  result: () => undefined,
  windows: { script: 'go', values: () => [] },
});
