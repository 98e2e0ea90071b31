// Measures bulk output through a whole session (recorded, tracked, acknowledged by a client in another process) beside the OpenSSH
// client at the same sshd. Run: node server/src/gateway/testing/throughput.ts measure [megabytes [direct runs]]
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBigFile } from './big-file.ts';
import { startGateway } from './gateway-server.ts';
import { memoryPorts, PERSON } from './memory-ports.ts';
import { startSshd, type TestSshd } from './sshd.ts';
import { TerminalClient } from './terminal-client.ts';

async function direct(sshd: TestSshd, command: string): Promise<number> {
  const began = performance.now();
  const args = ['-tt', '-q', '-F', 'none', '-i', sshd.keyFile, '-p', String(sshd.port), '-o', `UserKnownHostsFile=${sshd.knownHostsFile}`];
  const child = spawn('ssh', [...args, '-o', 'BatchMode=yes', `${sshd.username}@${sshd.host}`, command], { stdio: ['pipe', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`ssh ended with ${code}`);
  return performance.now() - began;
}

async function client(url: string, file: string): Promise<void> {
  const terminal = await TerminalClient.connect(url, { asset: 'a', system_user: 's' });
  await terminal.message('open');
  await terminal.waitFor('$ ');
  terminal.keepsOutput = false;
  const before = terminal.received;
  const size = Number(process.argv[5]);
  const began = performance.now();
  terminal.type(`cat ${file}\r`);
  // Each line end becomes two characters on the way through a terminal, so the size on the wire is a little larger than the file.
  await terminal.until('all of it', () => (terminal.received - before >= size ? true : undefined), 300_000);
  process.send?.({ milliseconds: performance.now() - began, bytes: terminal.received - before });
  await terminal.close();
}

async function measure(megabytes: number, directRuns: number): Promise<void> {
  const sshd = await startSshd();
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-throughput-'));
  try {
    const file = join(sshd.home, 'big');
    await writeBigFile(file, megabytes);
    const connect = Math.min(await direct(sshd, 'true'), await direct(sshd, 'true'));
    let directMs = Number.POSITIVE_INFINITY;
    for (let run = 0; run < directRuns; run++) directMs = Math.min(directMs, (await direct(sshd, `cat ${file}`)) - connect);
    const server = await startGateway(memoryPorts(sshd), directory, PERSON);
    const before = process.memoryUsage().rss;
    let peak = 0;
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
      if (process.env.SHOW_MEMORY)
        console.log(JSON.stringify(process.memoryUsage(), (_key, value) => (typeof value === 'number' ? Math.round(value / 1048576) : value)));
    }, 50);
    const cpuBefore = process.cpuUsage();
    const child = fork(fileURLToPath(import.meta.url), ['client', server.url, file, String(megabytes * 1024 * 1024)]);
    const [result] = await once(child, 'message');
    const cpu = process.cpuUsage(cpuBefore);
    clearInterval(sampler);
    const rate = (milliseconds: number) => (megabytes / milliseconds) * 1000;
    const bastionMs = Number(result.milliseconds);
    console.log(`direct  ${rate(directMs).toFixed(1)} MB/s`);
    console.log(`bastion ${rate(bastionMs).toFixed(1)} MB/s, ${((directMs / bastionMs) * 100).toFixed(0)} % of direct`);
    console.log(
      `memory  ${((peak - before) / 1024 / 1024).toFixed(1)} MB more at most; processor ${((cpu.user + cpu.system) / 1000 / bastionMs).toFixed(2)} cores`,
    );
    process.send?.({ growthMegabytes: (peak - before) / 1024 / 1024, ratio: directMs / bastionMs });
    await server.stop();
  } finally {
    await sshd.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'client') await client(process.argv[3] ?? '', process.argv[4] ?? '');
  else {
    await measure(Number(process.argv[3]) || 200, Number(process.argv[4]) || 2);
    if (process.connected) process.disconnect();
  }
}
