import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from './embedded.ts';

it('says why PostgreSQL does not start when its account lost the way to its folder', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'sallyport-closed-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  await chmod(parent, 0o711);
  const data = join(parent, 'data');
  await mkdir(data, { mode: 0o711 });
  await (await startEmbedded(data)).stop();
  const { uid } = await stat(join(data, 'postgres'));

  await chmod(parent, 0o700);
  // Only root runs PostgreSQL as another account.
  if (uid === process.getuid?.()) await (await startEmbedded(data)).stop();
  else
    await expect(startEmbedded(data)).rejects.toThrow(
      `PostgreSQL's account (${uid}) may not enter ${parent}. Run: chmod a+x ${parent}`,
    );

  await chmod(parent, 0o711);
  await (await startEmbedded(data)).stop();
});
