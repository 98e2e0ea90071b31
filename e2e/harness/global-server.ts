import type { TestProject } from 'vitest/node';
import { addLicense } from './license.ts';
import { Server } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The data folder of a server that was started once and stopped. */
    readonly startedFolder: string;
    /** The address of the server that files share. */
    readonly sharedServer: string;
  }
}

/**
 * Before all journeys: starts the server once on a new database and stops it. A file with its own
 * server starts from a copy of that data folder. All other files share one server. It has a
 * license, because each of these files works in its own organization.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const first = await Server.launch();
  // Journeys about licensed features begin with a license, the others show the product without one.
  const { status } = await (await first.signIn()).delete('xpack/license/detail');
  if (status !== 204) throw new Error(`removing the license answered ${status}`);
  const startedFolder = await first.stopAndKeep();
  const shared = await Server.launch({ copyOf: startedFolder });
  await addLicense(shared, await shared.signIn());
  project.provide('startedFolder', startedFolder);
  project.provide('sharedServer', shared.url);
  return async () => {
    await shared.stop();
    await first.stop();
  };
}
