// The `ssh` of tests: the options that sallyctl gives, by a client in Node. It checks the host key
// like OpenSSH with StrictHostKeyChecking=yes, and takes the password from TEST_PASSWORD.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ssh2 } from '@sallyport/ssh';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    option: { type: 'string', short: 'o', multiple: true, default: [] },
    port: { type: 'string', short: 'p' },
    login: { type: 'string', short: 'l' },
  },
});
const settings = new Map(
  values.option.map((text) => text.split(/=(.*)/s).slice(0, 2) as [string, string]),
);
const setting = (name: string) => (settings.get(name) ?? '').replaceAll('"', '');
const known = readFileSync(setting('UserKnownHostsFile'), 'utf8');
const [host, ...command] = positionals;

const client = new ssh2.Client();
client.on('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(255);
});
client.on('ready', () =>
  client.exec(command.join(' '), (error, channel) => {
    if (error) throw error;
    channel.pipe(process.stdout);
    channel.on('exit', (code: number) => {
      process.exitCode = code;
    });
    channel.on('close', () => client.end());
  }),
);
client.connect({
  host: String(host),
  port: Number(values.port),
  username: values.login ?? '',
  ...(setting('IdentityAgent') && { agent: setting('IdentityAgent') }),
  password: process.env.TEST_PASSWORD ?? '',
  tryKeyboard: true,
  hostVerifier: (key: Buffer) =>
    setting('StrictHostKeyChecking') === 'yes' &&
    known.includes(`${setting('HostKeyAlias')} `) &&
    known.includes(key.toString('base64')),
});
client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) =>
  finish(prompts.map(() => process.env.TEST_PASSWORD ?? '')),
);
