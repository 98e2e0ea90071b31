import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { requirePeers } from './peers.ts';
import { until } from './poll.ts';

const GUIDE = resolve(import.meta.dirname, '../../../docs/operator-guide/install.en.md');

/** Returns a configuration example below a heading of docs/operator-guide/install.en.md. */
export async function exampleOf(heading: string, language: string): Promise<string> {
  const [, section = ''] = (await readFile(GUIDE, 'utf8')).split(`\n## ${heading}\n`);
  const [, example] =
    new RegExp(`\n\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(section.split('\n## ')[0] ?? '') ??
    [];
  if (example === undefined)
    throw new Error(`the operator guide has no example for ${language} under ${heading}`);
  return example;
}

/**
 * Runs Debian's nginx or HAProxy. `text` is the guide's configuration with the test's addresses and
 * ports.
 */
export async function startProxy(
  kind: 'nginx' | 'haproxy',
  text: string,
  directory: string,
  port: number,
): Promise<{ readonly stop: () => Promise<void> }> {
  requirePeers(kind === 'nginx' ? 'nginx-light' : 'haproxy');
  const folder = join(directory, kind);
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const whole =
    kind === 'nginx'
      ? `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary}\n${text}\n}`
      : `global\n    log stderr local0 warning\n${text}\n`;
  await writeFile(file, whole);
  const [program, words] =
    kind === 'nginx'
      ? ['/usr/sbin/nginx', ['-p', folder, '-c', file]]
      : ['/usr/sbin/haproxy', ['-db', '-f', file]];
  const child: ChildProcess = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (chunk: unknown) => {
    output += String(chunk);
  });
  const ended = once(child, 'exit');
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${output}`);
    return fetch(`http://127.0.0.1:${port}/api/health/`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }, `${kind} answers`);
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
