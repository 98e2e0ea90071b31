import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { createLog, type LogFormat } from './log.ts';

function written(format: LogFormat, write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog('info', { write: (line: string) => void lines.push(line) }, format));
  return lines.join('');
}

it('writes one JSON object per line with time, level, message and properties', () => {
  const text = written('json', (log) => {
    log.debug('nobody wants to read this');
    log.child({ request: 'a-1' }).warn({ detail: 'first\nsecond' }, 'two lines are one');
  });
  expect(text).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(text)).toEqual({
    level: 40,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    request: 'a-1',
    detail: 'first\nsecond',
    msg: 'two lines are one',
  });
});

it('writes a readable line in text format', () => {
  const text = written('text', (log) =>
    log.error({ job: 'push', error: 'first\nsecond', count: 3 }, 'a job\nfailed'),
  );
  expect(text).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z ERROR a job failed job=push error="first\\nsecond" count=3\n$/,
  );
});

it.each(['json', 'text'] as const)(
  'removes secrets from names, URLs and texts at any depth: %s',
  (format) => {
    const secret = 'qzx9-hunter-secret';
    const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----`;
    const text = written(format, (log) => {
      for (const name of [
        'password',
        'private_key',
        'passphrase',
        'secret',
        'secret_key',
        'access_key',
        'token',
        'authorization',
        'cookie',
        'set-cookie',
      ])
        log.info({ [name]: secret, one: { [name]: secret, two: { [name]: secret } } }, 'named');
      log.info(
        { error: `connect postgresql://sallyport:${secret}@db.example.com/x failed` },
        'in an address',
      );
      log.info(
        { header: `Authorization: Bearer ${secret}`, key, cut: key.slice(0, 60) },
        'in a text',
      );
    });
    expect(text).not.toContain('hunter');
    expect(text.match(/\[removed\]/g)?.length).toBe(34);
    expect(text).toContain('postgresql://sallyport:[removed]@db.example.com/x failed');
  },
);

it.each(['json', 'text'])(
  'loses lines, and not the process, while the disk of the log is full: %s',
  async (format) => {
    const program = `
    const { createLog } = await import(${JSON.stringify(join(import.meta.dirname, 'log.ts'))});
    const log = createLog('info', undefined, ${JSON.stringify(format)});
    for (let line = 0; line < 1000; line++) log.info({ line }, 'a line of the log');
    setTimeout(() => process.stderr.write('still running'), 10);`;
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', full.fd, 'pipe'],
    });
    let errors = '';
    child.stderr?.on('data', (bytes) => {
      errors += String(bytes);
    });
    const [code] = await once(child, 'close');
    await full.close();
    expect([code, errors]).toEqual([0, 'still running']);
  },
);

it('puts the request id into the response and the log lines', async () => {
  const test: TestProgram = await startTestProgram();
  try {
    const first = await test.visitor.get('/api/health/');
    const second = await test.visitor.get('/api/health/');
    const ids = [first, second].map(({ headers }) => headers.get('x-request-id'));
    expect(ids[0]).toMatch(/^[0-9a-f]{10}-[0-9a-z]+$/);
    expect(ids[1]).not.toBe(ids[0]);
    // The client cannot choose the request id.
    expect(
      (await test.visitor.with({ 'x-request-id': 'chosen' }).get('/api/health/')).headers.get(
        'x-request-id',
      ),
    ).not.toBe('chosen');
    for (const line of test.log().trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(Number),
        time: expect.any(String),
        msg: expect.any(String),
      });
  } finally {
    await test.stop();
  }
});
