// Starts an unpacked program the way an operator does, and uses it: run by the Node of that
// program, in an empty folder, with the path of `sallyport` and the expected version and commit.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [program, version, commit] = process.argv.slice(2);
const PASSWORD = 'Trial of a package 7';
const env = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  SALLYPORT_ADMIN_PASSWORD: PASSWORD,
  SALLYPORT_DATA_DIR: process.cwd(),
  SALLYPORT_HTTP_PORT: '18080',
  SALLYPORT_SSH_PORT: '18022',
  SALLYPORT_PROCESSES: '1',
};
const site = `http://127.0.0.1:${env.SALLYPORT_HTTP_PORT}`;

function assert(isTrue, claim) {
  if (!isTrue) throw new Error(`not true: ${claim}`);
  process.stdout.write(`  ${claim}\n`);
}

/** Runs a command for operators. Returns its output. */
function command(...words) {
  const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`sallyport ${words.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

async function ask(path, { token, body, method = body ? 'POST' : 'GET' } = {}) {
  const answer = await fetch(`${site}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const isJson = answer.headers.get('content-type')?.includes('json');
  return { status: answer.status, body: isJson ? await answer.json() : await answer.text() };
}

assert(
  command('--version') === `Sallyport ${version} (${commit})\n`,
  `sallyport --version prints ${version} (${commit})`,
);
// The verifier lies next to `bin` of the Node that runs this.
const verifier = join(dirname(dirname(realpathSync(process.execPath))), 'evidence/verify.mjs');
assert(existsSync(verifier), 'the verifier of evidence is in the package');
const verified = spawnSync(process.execPath, [verifier], { env, encoding: 'utf8' });
assert(verified.stderr.includes('Usage: node verify.mjs'), 'the verifier has all its files');
const began = performance.now();
const server = spawn(program, ['start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
let output = '';
for await (const text of server.stdout.setEncoding('utf8')) {
  output += text;
  if (output.includes('is ready:')) break;
}
try {
  assert(output.includes('is ready:'), `starts in ${Math.round(performance.now() - began)} ms`);
  const health = await ask('/api/health/');
  assert(health.status === 200 && health.body.version === version, 'health answers 200');
  const { body: signIn } = await ask('/api/v1/authentication/auth/', {
    body: { username: 'admin', password: PASSWORD },
  });
  const { token } = signIn;
  assert(token, 'admin signs in');
  const known = await ask('/api/health/', { token });
  assert(known.body.commit === commit, 'health names the commit to admin');
  for (const path of ['/ui/', '/api/docs/', '/api/docs/swagger-ui-bundle.js', '/luna/'])
    assert((await ask(path)).status === 200, `${path} is served`);
  assert(command('host-keys').includes('SHA256:'), 'sallyport host-keys prints fingerprints');
  await ask('/api/v1/settings/setting/', {
    token,
    method: 'PATCH',
    body: { terminal: { TERMINAL_CANARY_MINUTES: 1 } },
  });
  let canary;
  for (let tries = 0; !canary && tries < 100; tries++) {
    await new Promise((done) => setTimeout(done, 2_000));
    canary = (await ask('/api/health/')).body.dependencies.canary;
  }
  assert(canary?.status === 'up', 'the self-test opens, records and proves a session');
  command('backup', `${process.cwd()}/backup-of-trial`);
  assert(command('audit', 'verify').includes('intact'), 'a backup and audit verify work');
} finally {
  server.stdout.resume();
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const [status] = await ended;
  assert(status === 0, 'SIGTERM ends it in order');
}
