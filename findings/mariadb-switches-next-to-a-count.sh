#!/bin/bash
# Good guess: a system variable has the same value in every SELECT of a session; a client may ask for it together with
# a count. What happens: MariaDB shows a session variable that is a switch (autocommit, tx_read_only) as 0 if the
# SELECT has count(*) of an InnoDB table, whatever the value is. Next to max(), over a MyISAM table, or alone it
# shows the value. A variable with a number is right. A check of the mode that a program combines with a
# count reads "writable" in a session that refuses writing. MariaDB 11.8.9 (Debian sid) does the same.
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
mkdir -p data/mysql
root/usr/sbin/mariadbd --no-defaults --user="$user" --datadir="$folder/data" \
  --lc-messages-dir="$folder/root/usr/share/mysql" --skip-networking --skip-grant-tables \
  --socket="$folder/socket" >log 2>&1 &
server=$!
client() { root/usr/bin/mariadb --no-defaults --socket="$folder/socket" --batch --raw -N "$@"; }
for _ in $(seq 100); do
  client -e 'select 1' >/dev/null 2>&1 && break
  sleep 0.2
done
echo "MariaDB $(client -e 'select version()')"
cat >script.sql <<'SQL'
create database shop;
use shop;
create table t (id int primary key) engine=ENGINE;
insert into t values (1), (2);
set session transaction read only;
select @@tx_read_only;
select @@tx_read_only, count(*) from t;
select @@tx_read_only, max(id) from t;
select @@autocommit, count(*) from t;
select @@net_read_timeout, count(*) from t;
SQL
seen() { sed "s/ENGINE/$1/" script.sql | client | tr '\t' ' ' | paste -sd';'; client -e 'drop database shop'; }
innodb=$(seen InnoDB)
myisam=$(seen MyISAM)
echo '@@tx_read_only alone; with count(*); with max(id); @@autocommit with count(*); @@net_read_timeout with count(*)'
echo "  InnoDB: $innodb"
echo "  MyISAM: $myisam"
[ "$innodb" = '1;0 2;1 2;0 2;30 2' ] && [ "$myisam" = '1;1 2;1 2;1 2;30 2' ]
