#!/bin/bash
# SET NAMES in a stored routine of MariaDB outlives the routine by half: character_set_client and
# collation_connection are given back to the caller, character_set_results is not.
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
user=$(id -un)
start() {
  root/usr/sbin/mariadbd --no-defaults --user="$user" --datadir="$folder/data" \
    --lc-messages-dir="$folder/root/usr/share/mysql" --skip-networking --skip-grant-tables \
    --socket="$folder/socket" >log 2>&1 &
  server=$!
}
client() { root/usr/bin/mariadb --no-defaults --socket="$folder/socket" --batch --raw -N "$@"; }
mkdir -p data/mysql
start
for _ in $(seq 100); do
  client -e 'select 1' >/dev/null 2>&1 && break
  sleep 0.2
done
client -e 'select version()' >version
echo "MariaDB $(cat version)"
# Without grant tables routines need mysql.proc, so they are made by the tables of the package.
client mysql <root/usr/share/mysql/mysql_system_tables.sql >/dev/null
cat >script.sql <<'SQL'
create database t;
use t;
delimiter //
create procedure p() begin set names gbk; set sql_mode = 'ANSI_QUOTES'; end//
delimiter ;
set names utf8mb4;
set sql_mode = '';
call p();
select concat_ws(' ', @@character_set_client, @@collation_connection, @@character_set_results, concat('sql_mode=', @@sql_mode));
select '中';
SQL
client --default-character-set=utf8mb4 <script.sql >out
{ read -r variables; read -r text; } <out
echo "after a procedure with SET NAMES gbk: client, connection, results: $variables"
hex=$(printf %s "$text" | od -An -tx1 | tr -d ' \n')
echo "the caller sends 中 as e4b8ad and reads $hex"
[ "$variables" = 'utf8mb4 utf8mb4_general_ci gbk sql_mode=' ] && [ "$hex" = d6d0 ]
