import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Client, Json } from '../client.ts';

const GENERATOR = resolve(import.meta.dirname, '../../../../packaging/clients/generate.mjs');

/** Clients of the API of a running program, in a folder. */
export interface GeneratedClients {
  readonly folder: string;
  readonly site: string;
  remove(): Promise<void>;
}

/** Writes the clients from the API description that a user of the program gets. */
export async function generateClients(user: Client): Promise<GeneratedClients> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-clients-'));
  const { body } = await user.get<Json>('/api/docs/openapi.json');
  const description = join(folder, 'openapi.json');
  await writeFile(description, JSON.stringify(body));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await promisify(execFile)(process.execPath, [GENERATOR, description, folder]);
  const remove = () => rm(folder, { recursive: true });
  return { folder, site: new URL(user.url).origin, remove };
}
