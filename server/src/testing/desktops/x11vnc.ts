import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { requirePeers } from '../peers.ts';

/** x11vnc on a display of another X server, for one test. */
export interface TestX11vnc {
  readonly port: number;
  readonly password: string;
  stop(): Promise<void>;
}

/** Starts a server with a password on a free loopback port. */
export async function startX11vnc(display: string): Promise<TestX11vnc> {
  requirePeers('x11vnc');
  const password = 'Rt5!wQx8';
  const server = spawn(
    '/usr/bin/x11vnc',
    ['-display', display, '-localhost', '-autoport', '5960', '-forever', '-passwd', password],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = once(server, 'exit');
  let output = '';
  const port = await new Promise<number>((done, failed) => {
    server.once('error', failed);
    server.once('exit', () => failed(new Error(`x11vnc ended: ${output}`)));
    server.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const announced = /^PORT=(\d+)$/m.exec(output)?.[1];
      if (announced) done(Number(announced));
    });
  });
  return {
    port,
    password,
    stop: async () => {
      server.kill();
      await ended;
    },
  };
}
