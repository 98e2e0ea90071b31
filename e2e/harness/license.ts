import type { Client } from '../../server/src/testing/client.ts';
import { importLicense } from '../../server/src/testing/license.ts';
import type { Server } from './server.ts';

/** Adds a license as an operator does: the command issues it, an administrator imports it. */
export async function addLicense(server: Server, admin: Client): Promise<void> {
  const printed = await server.command(
    'license',
    'issue',
    'corporation=Example Ltd',
    'expired=2099-12-31',
    'asset_count=5000',
  );
  const { status, text } = await importLicense(admin, JSON.parse(printed) as object);
  if (status !== 200) throw new Error(`the license was answered with ${status} ${text}`);
}
