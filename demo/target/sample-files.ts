import { FileSystem } from './file-system.ts';

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
  put(
    `${HOME}/README.txt`,
    [
      'Welcome to the demo target of Sallyport.',
      '',
      'This is a small pretended machine: it lives in the memory of the server and',
      'can neither see nor change the real one. Everything you do here is recorded',
      'like any other session, so look at the replay afterwards.',
      '',
      'Some things to try:  ls -l /var/log   less /etc/nginx/nginx.conf   top',
      '                     grep 500 /var/log/nginx/access.log | wc -l',
      '',
      '欢迎使用 Sallyport 演示主机。这里的一切都在内存中，与真实主机无关。',
      '您的操作会像其他会话一样被录像，之后可以在会话历史中回放。',
    ],
    600,
  );
  put(
    `${HOME}/notes/todo.md`,
    [
      '# To do',
      '',
      '- [x] renew the certificate of shop.example.com',
      '- [ ] find out why the backup takes an hour',
      '- [ ] 清理旧日志',
    ],
    90,
  );
  put(
    `${HOME}/scripts/backup.sh`,
    ['#!/bin/sh', 'set -eu', 'tar -czf "/backup/site-$(date +%F).tar.gz" /var/www/html'],
    4000,
  );
  put('/tmp/upload.tmp', ['temporary'], 12);
  put('/etc/hostname', [HOST_NAME], 90_000);
  put(
    '/etc/os-release',
    ['NAME="Demo Linux"', 'VERSION="1 (Memory)"', 'ID=demo', 'PRETTY_NAME="Demo Linux 1 (Memory)"'],
    90_000,
  );
  put(
    '/etc/hosts',
    ['127.0.0.1\tlocalhost', `10.20.0.11\t${HOST_NAME}`, '10.20.0.21\tdb-01'],
    90_000,
  );
  put(
    '/etc/passwd',
    [
      'root:x:0:0:root:/root:/bin/sh',
      'www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin',
      `demo:x:1000:1000:Demo:${HOME}:/bin/sh`,
    ],
    90_000,
  );
  put('/etc/nginx/nginx.conf', NGINX, 20_000);
  put(
    '/var/www/html/index.html',
    ['<!doctype html>', '<title>It works</title>', '<h1>It works</h1>'],
    50_000,
  );
  put('/var/log/nginx/access.log', accessLog(now), 1);
  put('/var/log/nginx/error.log', errorLog(now), 35);
  put('/var/log/auth.log', authLog(now), 3);
  return files;
}

const NGINX = [
  'user www-data;',
  'worker_processes auto;',
  'pid /run/nginx.pid;',
  '',
  'events {',
  '    worker_connections 1024;',
  '}',
  '',
  'http {',
  '    sendfile on;',
  '    keepalive_timeout 65;',
  '    access_log /var/log/nginx/access.log;',
  '    error_log /var/log/nginx/error.log warn;',
  '',
  '    upstream shop {',
  '        server 10.20.0.31:8080 max_fails=3;',
  '        server 10.20.0.32:8080 max_fails=3;',
  '    }',
  '',
  '    server {',
  '        listen 443 ssl;',
  '        server_name shop.example.com;',
  '        ssl_certificate /etc/ssl/shop.pem;',
  '        ssl_certificate_key /etc/ssl/private/shop.key;',
  '        location / {',
  '            proxy_pass http://shop;',
  '            proxy_set_header Host $host;',
  '        }',
  '    }',
  '}',
];

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
