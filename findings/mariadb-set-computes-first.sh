#!/bin/bash
# Good guess: the assignments of one SET run from left to right, as those of UPDATE and SELECT @a := ... do, so
# "SET @a = 5, @b = @a" leaves 5 in both. What happens: MariaDB computes all values before it assigns any. @b gets the
# value that @a had before; "SET sql_mode = '', @mode = @@sql_mode" saves the old mode, and "SET @zone = '+05:00',
# time_zone = @zone" sets the zone that the variable had before. UPDATE and SELECT go from left to right.
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
mkdir -p data/mysql data/test
root/usr/sbin/mariadbd --no-defaults --user="$user" --datadir="$folder/data" \
  --lc-messages-dir="$folder/root/usr/share/mysql" --skip-networking --skip-grant-tables \
  --socket="$folder/socket" >log 2>&1 &
server=$!
client() { root/usr/bin/mariadb --no-defaults --socket="$folder/socket" --batch --raw -N "$@"; }
for _ in $(seq 100); do
  client -e "select 1" >/dev/null 2>&1 && break
  sleep 0.2
done
echo "MariaDB $(client -e 'select version()')"
seen() { client test -e "$1" | paste -sd' '; }
variables=$(seen 'set @a = 1; set @a = 5, @b = @a; select @b')
zone=$(seen "set @z = '+01:00'; set @z = '+05:00', time_zone = @z; select @@time_zone")
mode=$(seen "set sql_mode = 'NO_ZERO_DATE'; set sql_mode = '', @m = @@sql_mode; select @m")
selected=$(seen 'set @a = 1; select @a := 5, @b := @a' | tr '\t' ' ')
updated=$(seen 'create table t (a int, b int) engine=MyISAM; insert into t values (1, 1);
  update t set a = 5, b = a; select b from t')
echo "SET @a = 5, @b = @a          @b is $variables"
echo "SET @z = '+05:00', time_zone = @z   the zone is $zone"
echo "SET sql_mode = '', @m = @@sql_mode  @m is $mode"
echo "SELECT @a := 5, @b := @a     gives $selected"
echo "UPDATE t SET a = 5, b = a    b is $updated"
[ "$variables;$zone;$mode;$selected;$updated" = '1;+01:00;NO_ZERO_DATE;5 5;5' ]
