#!/bin/bash
# Good guess: a statement that the server's own client runs works through the drivers of Node, too. What happens: mysql2
# and mariadb ask for CLIENT_IGNORE_SPACE while they connect, which adds IGNORE_SPACE to sql_mode of each of their
# sessions. Names of functions are then reserved, also with a blank before the parenthesis: "create table
# count (id int)" is a syntax error, and a program that compares sql_mode finds another one than the server's. PyMySQL
# does not ask for it; flags: ['-IGNORE_SPACE'] of mysql2 leaves it out.
set -euo pipefail
MARIADB=1:10.11.19-0+deb12u1
folder=$(mktemp -d)
server=
finish() { [ -z "$server" ] || { kill "$server"; wait "$server" || true; }; rm -rf "$folder"; }
trap finish EXIT
chmod 755 "$folder"
cd "$folder"
# Only the programs come from here; libraries are those of the system
# (apt-get install mariadb-server brings them).
apt-get download -q "mariadb-server-core=$MARIADB" "mariadb-client-core=$MARIADB" >/dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
user=$(id -un)
mkdir -p data/mysql data/test
root/usr/sbin/mariadbd --no-defaults --user="$user" --datadir="$folder/data" \
  --lc-messages-dir="$folder/root/usr/share/mysql" --bind-address=127.0.0.1 --port="$port" --skip-grant-tables \
  --socket="$folder/socket" >log 2>&1 &
server=$!
client() { root/usr/bin/mariadb --no-defaults --socket="$folder/socket" --batch --raw -N "$@"; }
for _ in $(seq 100); do
  client -e "select 1" >/dev/null 2>&1 && break
  sleep 0.2
done
npm init -y >/dev/null
npm install --no-audit --no-fund --silent mysql2@3.24.6 mariadb@3.4.0
cat >run.js <<'JS'
const port = Number(process.argv[2]);
const statement = 'create table count (id int) engine=MyISAM';
const at = { host: '127.0.0.1', port, user: 'root', database: 'test' };
const tried = async (connection, rowsOf) => {
  const rows = rowsOf(await connection.query('select @@sql_mode like "%IGNORE_SPACE%" as ignores'));
  const result = await connection.query(statement).then(
    () => 'works',
    (error) => error.code,
  );
  await connection.query('drop table if exists `count`');
  await connection.end();
  return `${rows[0].ignores} ${result}`;
};
(async () => {
  const mysql2 = require('mysql2/promise');
  const mariadb = require('mariadb');
  const seen = {
    mysql2: await tried(await mysql2.createConnection(at), ([rows]) => rows),
    "mysql2 with flags: ['-IGNORE_SPACE']": await tried(
      await mysql2.createConnection({ ...at, flags: ['-IGNORE_SPACE'] }), ([rows]) => rows),
    mariadb: await tried(await mariadb.createConnection(at), (rows) => rows),
  };
  console.log(`mysql2 3.24.6, mariadb 3.4.0; IGNORE_SPACE in sql_mode, and "${statement}"`);
  for (const [name, result] of Object.entries(seen)) console.log(`  ${result}  (${name})`);
  process.exit(Object.values(seen).join() === '1 ER_PARSE_ERROR,0 works,1 ER_PARSE_ERROR' ? 0 : 1);
})();
JS
echo "MariaDB $(client -e 'select version()'), its own client: $(client test -e 'create table count (id int) engine=MyISAM; drop table count' && echo works)"
timeout 60 node run.js "$port"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pymysql==1.2.4
cat >run.py <<'PY'
import sys, pymysql
cursor = pymysql.connect(host='127.0.0.1', port=int(sys.argv[1]), user='root', database='test').cursor()
cursor.execute("select @@sql_mode like '%IGNORE_SPACE%'")
ignores = cursor.fetchone()[0]
cursor.execute('create table count (id int) engine=MyISAM')
print(f'  {ignores} works  (PyMySQL 1.2.4)')
sys.exit(ignores)
PY
venv/bin/python run.py "$port"
