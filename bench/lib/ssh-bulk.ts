// Run by measures/ssh.ts: reads the output of a command through our SSH client, without a pseudo-terminal, and prints bytes, milliseconds and CPU seconds.
import { readFileSync } from 'node:fs';
import { CIPHERS, ssh2 } from '../../server/src/platform/ssh/ssh2.ts';

const [, , port = '', username = '', keyFile = '', command = ''] = process.argv;
const client = new ssh2.Client();
client.on('ready', () => {
  client.exec(command, (error, channel) => {
    if (error) throw error;
    const began = performance.now();
    const before = process.cpuUsage();
    let bytes = 0;
    channel.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    channel.on('close', () => {
      const { user, system } = process.cpuUsage(before);
      process.stdout.write(JSON.stringify({ bytes, milliseconds: performance.now() - began, seconds: (user + system) / 1e6 }));
      client.end();
    });
  });
});
client.connect({
  host: '127.0.0.1',
  port: Number(port),
  username,
  privateKey: readFileSync(keyFile),
  hostVerifier: () => true,
  algorithms: { cipher: CIPHERS },
});
