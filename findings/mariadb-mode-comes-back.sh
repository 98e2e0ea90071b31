#!/bin/bash
# Good guess: a program that needs double quotes for texts takes ANSI_QUOTES out of sql_mode with REPLACE, as
# pt-table-sync 3.2.1 and common advice do; the rest of the mode stays. What happens: a session of MariaDB with the mode
# ANSI shows the parts of ANSI and then ANSI itself. The list without ANSI_QUOTES still has ANSI, MariaDB expands it again,
# and the SET succeeds and changes nothing. TRADITIONAL and ORACLE bring their parts back in the same way.
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
ok=true
for pair in ANSI:ANSI_QUOTES ORACLE:PIPES_AS_CONCAT TRADITIONAL:STRICT_ALL_TABLES \
  PIPES_AS_CONCAT,ANSI_QUOTES:ANSI_QUOTES; do
  mode=${pair%:*} part=${pair#*:}
  after=$(client -e "set sql_mode = '$mode'; set sql_mode = replace(@@sql_mode, '$part', ''); select @@sql_mode")
  has=$(grep -qw "$part" <<<"$after" && echo stays || echo 'is gone')
  echo "sql_mode '$mode' without $part: it $has"
  case $mode in *,*) want='is gone' ;; *) want=stays ;; esac
  [ "$has" = "$want" ] || ok=false
done
text=$(client -e "set sql_mode = 'ANSI'; set sql_mode = replace(@@sql_mode, 'ANSI_QUOTES', ''); select \"a text\"" 2>&1 || true)
echo "select \"a text\" then: $text"
grep -q "Unknown column 'a text'" <<<"$text"
$ok
