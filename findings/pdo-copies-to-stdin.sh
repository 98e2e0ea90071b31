#!/bin/bash
# Good guess: a program that reads a table with COPY sends COPY ... TO STDOUT; TO STDIN is a syntax error, as
# FROM STDOUT should be. What happens: PDO of PHP sends "COPY t TO STDIN" in pgsqlCopyToArray and pgsqlCopyToFile,
# and PostgreSQL's grammar takes STDIN and STDOUT in both directions. Only TO and FROM tell the direction: a
# proxy, a log filter or a read-only mode that takes STDIN for writing refuses a read of PHP.
set -euo pipefail
PHP=8.2.36-1~deb12u1
POSTGRESQL=15.20-0+deb12u1
folder=$(mktemp -d)
as=
finish() {
  $as "$folder/bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT
chmod 755 "$folder"
cd "$folder"
# Only the programs come from here; libraries are those of the system
# (apt-get install postgresql php-pgsql brings them).
apt-get download -q "php8.2-cli=$PHP" "php8.2-common=$PHP" "php8.2-pgsql=$PHP" \
  "postgresql-15=$POSTGRESQL" >/dev/null
for package in ./*.deb; do dpkg -x "$package" root; done
ln -s root/usr/lib/postgresql/15/bin bin
extensions=$folder/root/usr/lib/php/20220829
mkdir data socket
# The server refuses to run as root.
if [ "$(id -u)" = 0 ]; then
  chown nobody data socket
  as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
fi
$as bin/initdb -D data -U tester -A trust >/dev/null
$as bin/pg_ctl -D data -w -l data/log \
  -o "-k $folder/socket -c listen_addresses='' -c log_statement=all" start >/dev/null
cat >copy.php <<'PHP'
<?php
$c = new PDO('pgsql:host=' . getenv('SOCKET') . ';dbname=postgres;user=tester');
$c->exec('create table t (id int)');
$c->exec('insert into t values (1), (2)');
echo implode(' ', array_map('trim', $c->pgsqlCopyToArray('t'))), "\n";
$c->pgsqlCopyToFile('t', getenv('SOCKET') . '/../out');
PHP
echo "PHP ${PHP%%-*}, PostgreSQL $(bin/postgres --version | grep -o '[0-9.]*' | head -1)"
rows=$(SOCKET=$folder/socket root/usr/bin/php8.2 -n -d "extension_dir=$extensions" \
  -d extension=pdo.so -d extension=pdo_pgsql.so copy.php)
sent=$(grep -o 'COPY t TO [A-Z]*' data/log)
echo "rows that PHP reads: $rows"
echo "statements that the server logs:" $sent
[ "$rows" = '1 2' ] && [ "$(sort -u <<<"$sent")" = 'COPY t TO STDIN' ] && [ "$(wc -l <<<"$sent")" = 2 ]
