import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { UNREACHED } from '../harness/watch.ts';
import { replayPage } from '../pages/replay-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer({ restarts: true });
const run = promisify(execFile);

interface SessionRow {
  readonly id: string;
  readonly is_finished: boolean;
  readonly replay_state: string;
  readonly command_amount: number;
}

journey(
  'keeps acknowledged data and reconnects after kill -9 in mid-session',
  async (open, { admin, sshd, server }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    // While the server is away, whatever a page asks for fails.
    visitor.watch.allow(...UNREACHED);
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, 'en', asset);
    await terminal.ready();
    await terminal.run('echo kept-$((40+2))');
    await terminal.shows('kept-42');
    await terminal.run('echo second-$((50+5))');
    await terminal.shows('second-55');
    const sessions = `terminal/sessions/?limit=5&asset_id=${asset.id}`;
    const commands = async (id: string) =>
      (await admin.get<{ input: string; output: string }[]>(`terminal/commands/?session_id=${id}`))
        .body;
    const [live] = (await admin.get<{ results: SessionRow[] }>(sessions)).body.results;
    const id = live?.id ?? '';
    await expect
      .poll(async () => (await commands(id)).map(({ input }) => input))
      .toContain('echo kept-$((40+2))');
    // Output that the recorder has not written yet may be lost, so wait until its file holds the
    // last answer.
    await expect.poll(() => server.hasRecorded('second-55')).toBe(true);

    await server.crash();
    await visitor.page.getByText('Connection lost, reconnecting', { exact: true }).waitFor();
    await server.start();
    await terminal.notice.getByText('The connection was lost', { exact: true }).waitFor();

    const [row] = (await admin.get<{ results: SessionRow[] }>(sessions)).body.results;
    expect(row).toMatchObject({ id, is_finished: true, replay_state: 'recovered' });
    expect((await commands(id)).map(({ input }) => input)).toContain('echo kept-$((40+2))');

    // asciinema itself can play it.
    const { status, text } = await admin.get(`terminal/sessions/${id}/replay/download/`);
    expect(status).toBe(200);
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-cast-'));
    try {
      const file = join(folder, 'recovered.cast');
      await writeFile(file, text);
      // asciinema requires a terminal, which script provides.
      const { stdout } = await run('script', ['-qec', `asciinema cat ${file}`, '/dev/null'], {
        env: { ...process.env, LANG: 'C.UTF-8', HOME: folder },
      });
      expect(stdout).toContain('kept-42');
      expect(stdout).toContain('second-55');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }

    await terminal.reconnect.click();
    await terminal.ready();
    await terminal.run('echo again-$((60+6))');
    await terminal.shows('again-66');

    // The person who looks at it sees that it was recovered.
    const guard = await open({ language: 'en' });
    await signIn(guard, ADMIN, `/luna/replay/${id}`);
    await guard.page.getByText('Recovered after a crash').waitFor();
    await replayPage(guard.page, 'en').playUntil('second-55');
  },
);
