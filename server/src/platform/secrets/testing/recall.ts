import { OutputMask } from '../output-mask.ts';

export const COLS = 80;
/** Shortest part of a secret that counts as shown. */
const SHOWN = 6;

export const ORDINARY = [
  'drwxr-xr-x  2 root root 4096 Nov 27 10:11 conf.d',
  'Nov 27 10:11:02 web1 sshd[811]: Accepted publickey for deploy from 10.0.0.7 port 50122',
  '  PID TTY          TIME CMD',
  'commit 8f3c0b2c0cf3a7a4c3b1c7b5de0ac7f0f0e4a1d9',
];

/** Masks output that arrives in parts of `cutAt` bytes, slowly or at once. */
export function mask(output: Buffer, cutAt: (left: number) => number, isSlow = false): string {
  const parts: Buffer[] = [];
  const masking = new OutputMask({
    cols: COLS,
    known: [],
    now: () => 0,
    onOutput: (part) => parts.push(part),
  });
  for (let from = 0; from < output.length; ) {
    const length = cutAt(output.length - from);
    masking.push(output.subarray(from, from + length));
    if (isSlow) masking.flush();
    from += length;
  }
  masking.flush();
  return Buffer.concat(parts).toString('utf8');
}

export function isShown(secret: string, screen: string): boolean {
  for (let at = 0; at + SHOWN <= secret.length; at++)
    if (screen.includes(secret.slice(at, at + SHOWN))) return true;
  return false;
}
