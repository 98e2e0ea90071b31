import type { CommandWork, RemoteWork } from '../../features/ops/index.ts';

type RemoteOptions = Parameters<typeof import('./remote-work.ts')['createRemoteWork']>;
type CommandOptions = Parameters<typeof import('./command-work.ts')['createCommandWork']>;

/** Work on assets. The SSH client is loaded with the first run: an idle server saves the memory. */
export function remoteWork(...options: RemoteOptions): RemoteWork {
  const work = async () => (await import('./remote-work.ts')).createRemoteWork(...options);
  return {
    run: async (kind, input, run) => (await work()).run(kind, input, run),
    push: async (systemUserId, usernamesOf, run) =>
      (await work()).push(systemUserId, usernamesOf, run),
    tryGateway: async (id, port) => (await work()).tryGateway(id, port),
  };
}

/** Batch commands, loaded with the first run. */
export function commandWork(...options: CommandOptions): CommandWork {
  const work = async () => (await import('./command-work.ts')).createCommandWork(...options);
  return {
    requireFactor: async (person, ruleIds) => (await work()).requireFactor(person, ruleIds),
    decide: async (what) => (await work()).decide(what),
    run: async (run) => (await work()).run(run),
  };
}
