import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib.mjs';

// npm 11.19.1 runs `sh -c`, and dash does not pass SIGTERM on.
it('stops the server when SIGTERM ends npm', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-npm-'));
  try {
    const server =
      "process.on('SIGTERM', () => { console.log('stopped in order'); process.exit(); }); setInterval(() => {}, 1e6); console.log('ready');";
    writeFileSync(
      join(folder, 'start.mjs'),
      `import { supervise } from ${JSON.stringify(join(ROOT, 'scripts/supervise.mjs'))};
      supervise(process.execPath, ['-e', ${JSON.stringify(server)}]);`,
    );
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'trial', scripts: { start: 'node start.mjs' } }),
    );
    const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    for await (const text of npm.stdout.setEncoding('utf8')) {
      output += text;
      if (output.includes('ready') && !npm.killed) npm.kill('SIGTERM');
    }
    // The pipe ends when all processes that hold it have ended.
    expect(output).toContain('stopped in order');
    if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
