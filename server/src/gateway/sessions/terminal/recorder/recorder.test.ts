import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalRecordings } from '../../../../platform/storage/local-storage.ts';
import { recordingFiles } from '../../../../platform/storage/testing/recording-files.ts';
import { until } from '../../../../testing/poll.ts';
import { recoverRecordings } from '../../../recorder/recovery.ts';
import { CastEncoder, Recorder, type RecorderOptions } from './recorder.ts';

const STARTED = new Date('2026-03-04T05:06:07Z');
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-recorder-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function start(
  sessionId: string,
  handlers: Partial<RecorderOptions> = {},
  into = directory,
): Promise<Recorder> {
  const nothing = () => undefined;
  return Recorder.start({
    recordings: await openLocalRecordings(into),
    sessionId,
    startedAt: STARTED,
    title: 'a "title"',
    cols: 80,
    rows: 24,
    onFailure: nothing,
    onDrain: nothing,
    onFull: nothing,
    maxBytes: 2 ** 40,
    bytesPerSecond: 2 ** 40,
    burstBytes: 2 ** 40,
    ...handlers,
  });
}

const textOf = (cast: Buffer) =>
  cast
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line))
    .filter((event) => event[1] === 'o')
    .map((event) => event[2])
    .join('');

describe('the format', () => {
  it('encodes characters that chunks split anywhere, and invalid bytes', () => {
    const text = 'plain "quoted" \\ 世界 \u{1f600} é\r\n\x1b[0m\u2028';
    for (let size = 1; size <= 5; size++) {
      const encoder = new CastEncoder();
      const bytes = Buffer.from(text);
      let lines = '';
      for (let at = 0; at < bytes.length; at += size)
        lines += encoder.output(1, bytes.subarray(at, at + size));
      lines += encoder.end(2);
      expect(textOf(Buffer.from(`{}\n${lines}`))).toBe(text);
    }
    const broken = new CastEncoder();
    const lines = broken.output(1, Buffer.from([0x41, 0xff, 0xfe, 0x42, 0xe4])) + broken.end(2);
    expect(textOf(Buffer.from(`{}\n${lines}`))).toBe('A\ufffd\ufffdB\ufffd');
  });
});

describe('a recording', () => {
  it('writes a running recording to a file, and replaces it by one archive at the end', async () => {
    const id = randomUUID();
    const recorder = await start(id);
    const paths = recordingFiles(directory, { id, startedAt: STARTED });
    recorder.output(Buffer.from('first'));
    await until(
      async () => (await readFile(paths.running, 'utf8')).includes('"first"'),
      'the output is in the file',
    );
    recorder.resize({ cols: 100, rows: 30 });
    recorder.output(Buffer.from('last'));
    expect(await recorder.finish()).toBe('finished');
    expect(await readdir(paths.folder)).toEqual([`${id}.cast.gz`]);
    expect((await stat(paths.finished)).mode & 0o077).toBe(0);
    const cast = gunzipSync(await readFile(paths.finished));
    expect(textOf(cast)).toBe('firstlast');
    expect(paths.finished).toBe(join(directory, '2026-03-04', `${id}.cast.gz`));
  });

  it('rejects an invalid id, and a folder that cannot be created', async () => {
    await expect(start('../../etc/passwd')).rejects.toThrow();
    await writeFile(join(directory, 'file'), '');
    await expect(start(randomUUID(), {}, join(directory, 'file'))).rejects.toThrow();
  });

  it('requests a pause while the disk is behind, and reports when it has caught up', async () => {
    let drained = 0;
    const recorder = await start(randomUUID(), { onDrain: () => drained++ });
    const chunk = Buffer.from('x'.repeat(32 * 1024));
    let sent = 0;
    while (recorder.output(chunk) && sent < 200 * 1024 * 1024) sent += chunk.length;
    expect(sent).toBeLessThan(8 * 1024 * 1024);
    await until(() => drained > 0, 'the disk has caught up');
    expect(recorder.output(chunk)).toBe(true);
    expect(await recorder.finish()).toBe('finished');
  });
});

describe('after a crash', () => {
  const logged: string[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (_fields: object, message: string) => void logged.push(message),
  };
  const recoverAll = async () => recoverRecordings(await openLocalRecordings(directory), log);

  it('recovers everything that a killed process has written, as a playable recording', async () => {
    const id = randomUUID();
    const script = join(directory, 'crash.ts');
    await writeFile(
      script,
      `import { Recorder } from ${JSON.stringify(join(import.meta.dirname, 'recorder.ts'))};
      import { openLocalRecordings } from ${JSON.stringify(
        join(import.meta.dirname, '../../../../platform/storage/local-storage.ts'),
      )};
       const recordings = await openLocalRecordings(${JSON.stringify(directory)});
      const recorder = await Recorder.start({
        recordings, sessionId: ${JSON.stringify(id)}, startedAt: new Date(${STARTED.getTime()}),
        title: 't', cols: 80, rows: 24,
        onFailure: () => undefined, onDrain: () => undefined, onFull: () => undefined,
        maxBytes: 2 ** 40, bytesPerSecond: 2 ** 40, burstBytes: 2 ** 40,
      });
      for (let n = 0; ; n++) {
        recorder.output(Buffer.from('line ' + n + '\\r\\n'));
        await new Promise((done) => setTimeout(done, 2));
      }`,
    );
    const child = fork(script);
    const { running, finished } = recordingFiles(directory, { id, startedAt: STARTED });
    const linesIn = (text: string) =>
      [...text.matchAll(/line (\d+)\\r\\n/g)].map(([, number]) => Number(number));
    const written = async () =>
      linesIn(await readFile(running, 'utf8').catch(() => '')).at(-1) ?? -1;
    await until(async () => (await written()) > 100, 'lines are in the file');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const inFile = await written();
    const [recovered] = await recoverAll();
    expect(recovered).toMatchObject({ sessionId: id, state: 'recovered' });
    expect(Math.abs((recovered?.endedAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    const text = textOf(gunzipSync(await readFile(finished)));
    const last = Number(/line (\d+)\r\n$/.exec(text)?.[1]);
    expect(last).toBe(inFile);
  });

  it('cuts a torn line, drops a partial archive, and fails only for an empty file', async () => {
    const [torn, hole, empty] = [randomUUID(), randomUUID(), randomUUID()];
    const paths = (id: string) => recordingFiles(directory, { id, startedAt: STARTED });
    await mkdir(paths(torn).folder);
    const good = '{"version": 2, "width": 80, "height": 24}\n[0.5, "o", "kept"]\n';
    await writeFile(paths(torn).running, `${good}[0.9, "o", "to`);
    await writeFile(`${paths(torn).finished}.part`, 'half');
    await writeFile(paths(hole).running, `${good}[0.9, "o"`);
    await truncate(paths(hole).running, 9000);
    await writeFile(paths(empty).running, '');
    const states = new Map((await recoverAll()).map(({ sessionId, state }) => [sessionId, state]));
    expect(Object.fromEntries(states)).toEqual({
      [torn]: 'recovered',
      [hole]: 'recovered',
      [empty]: 'failed',
    });
    for (const id of [torn, hole])
      expect(gunzipSync(await readFile(paths(id).finished)).toString()).toBe(good);
    expect((await readdir(paths(torn).folder)).filter((name) => name.endsWith('.part'))).toEqual(
      [],
    );
  });

  it('recovers other recordings when one is stuck, and recovers that one at a later start', async () => {
    const [stuck, good] = [randomUUID(), randomUUID()];
    const paths = (id: string) => recordingFiles(directory, { id, startedAt: STARTED });
    await mkdir(paths(stuck).finished, { recursive: true });
    for (const id of [stuck, good])
      await writeFile(paths(id).running, '{"version": 2, "width": 80, "height": 24}\n');
    const states = async () =>
      Object.fromEntries((await recoverAll()).map(({ sessionId, state }) => [sessionId, state]));
    expect(await states()).toEqual({ [stuck]: 'failed', [good]: 'recovered' });
    expect(logged).toEqual(['an interrupted recording could not be finished']);
    await rm(paths(stuck).finished, { recursive: true });
    expect(await states()).toEqual({ [stuck]: 'recovered' });
  });
});
