import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { forge, linesOf, setLines } from '../../testing/evidence/evidence-file.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { startTimestampServer } from '../../testing/services/timestamp-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram } from '../../testing/test-program.ts';
import { createAuditChains } from '../audits/index.ts';

const VERIFIER = resolve(import.meta.dirname, '../../../../scripts/evidence/verify.mjs');

it('proves the SM3 digests of rows, and names a changed and a removed one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-sm3-evidence-'));
  const at = (name: string) => join(folder, name);
  const service = await startTimestampServer();
  writeFileSync(at('ca.pem'), service.authority);
  const test = await startTestProgram({
    suite: 'national',
    witness: { url: service.url, caFile: at('ca.pem') },
  });
  const verified = (file: string): Promise<{ code: number; stdout: string }> =>
    promisify(execFile)(process.execPath, [VERIFIER, at(file), `--ca=${at('ca.pem')}`]).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (result: { code: number; stdout: string }) => result,
    );
  try {
    for (const job of ['audit-witness', 'audit-seal']) await withoutSchedule(test, job);
    for (let index = 0; index < 2; index++) await bearer(test);
    await createAuditChains({
      db: test.db,
      vault: test.program.vault,
      directory: test.dataDirectory,
      suite: 'national',
    }).seal();
    await runHousekeeping(test, 'audit-witness');
    const range = ['--from=2020-01-01T00:00:00Z', '--to=2100-01-01T00:00:00Z'];
    await runOperatorCommand(test, ['evidence', 'export', at('sm3.tar'), ...range]);
    const sound = await verified('sm3.tar');
    expect(sound.stdout).toMatch(/login_log: SM3 covers rows \d+ to \d+/);
    expect(sound.stdout).not.toContain('CHANGED');
    const change = (sm3: string | undefined) => {
      const bytes = forge(readFileSync(at('sm3.tar')), (file) => {
        const rows = linesOf(file, 'logs/login_log/0').map((line) => JSON.parse(line));
        rows.at(-1).sm3 = sm3;
        setLines(
          file,
          'logs/login_log/0',
          rows.map((row) => JSON.stringify(row)),
        );
      });
      writeFileSync(at('forged.tar'), bytes);
      return verified('forged.tar');
    };
    const changed = await change('0'.repeat(64));
    expect(changed.stdout).toMatch(/CHANGED \(row\): login_log: row \d+ has another SM3 digest\n/);
    for (const { code, stdout } of [changed, await change(undefined)]) {
      expect(stdout).toMatch(/login_log: row \d+ has another SM3 digest than witness \d+/);
      expect(code).toBe(2);
    }
  } finally {
    await test.stop();
    await service.stop();
    rmSync(folder, { recursive: true });
  }
});
