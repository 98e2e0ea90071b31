import { FileSystem } from './file-system.ts';
import texts from './sample-files.json' with { type: 'json' };

export const HOME = '/home/demo';
/** All sample hosts lead here, so the machine has none of their names. */
export const HOST_NAME = 'demo';

/**
 * Returns the initial files: logs and settings of a small web server, and a home folder with a
 * note.
 */
export function sampleFileSystem(now: Date): FileSystem {
  const files = new FileSystem();
  const earlier = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const put = (path: string, lines: readonly string[], minutes: number) =>
    files.seed(
      path,
      `${lines.join('\n')}\n`,
      earlier(minutes),
      path.startsWith(HOME) || path.startsWith('/tmp'),
    );
  for (const { path, lines, minutes } of texts) put(path, lines, minutes);
  put('/var/log/nginx/access.log', accessLog(now), 1);
  put('/var/log/nginx/error.log', errorLog(now), 35);
  put('/var/log/auth.log', authLog(now), 3);
  return files;
}

function accessLog(now: Date): readonly string[] {
  const paths = [
    '/',
    '/cart',
    '/api/items?page=2',
    '/login',
    '/static/app.js',
    '/api/orders',
    '/health',
  ];
  return Array.from({ length: 240 }, (_, index) => {
    const at = new Date(now.getTime() - (240 - index) * 17_000).toISOString();
    const status = index % 41 === 7 ? 500 : index % 13 === 5 ? 404 : 200;
    return `10.8.${index % 4}.${(index * 37) % 250} - - [${at}] "GET ${paths[index % paths.length]} HTTP/1.1" ${status} ${200 + ((index * 7919) % 9000)}`;
  });
}

function errorLog(now: Date): readonly string[] {
  return Array.from({ length: 12 }, (_, index) => {
    const at = new Date(now.getTime() - (12 - index) * 1_900_000).toISOString();
    return `${at} [error] 812#812: *${4000 + index * 31} upstream timed out while reading response header from upstream, upstream: "http://10.20.0.3${1 + (index % 2)}:8080/"`;
  });
}

function authLog(now: Date): readonly string[] {
  return Array.from({ length: 20 }, (_, index) => {
    const at = new Date(now.getTime() - (20 - index) * 2_400_000).toISOString();
    return index % 3 === 0
      ? `${at} ${HOST_NAME} sshd[${2000 + index}]: Failed password for invalid user admin from 203.0.113.${index + 5} port ${40_000 + index * 13}`
      : `${at} ${HOST_NAME} sshd[${2000 + index}]: Accepted publickey for demo from 10.20.0.2 port ${50_000 + index * 7}`;
  });
}
