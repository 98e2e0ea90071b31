import type { TestProject } from 'vitest/node';
import { Server } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The data folder of a server that was started once and stopped. */
    readonly startedFolder: string;
  }
}

/** Before all journeys: one first start, with a new database. Every file begins with a copy of what it made. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await Server.launch();
  // Journeys about licensed features begin with a license, the others show the product without one.
  const { status } = await (await server.signIn()).delete('xpack/license/detail');
  if (status !== 204) throw new Error(`removing the license answered ${status}`);
  project.provide('startedFolder', await server.stopAndKeep());
  return () => server.stop();
}
