#!/bin/bash
# Good guess: Flyway's info and validate only read; what they send fits a session that may not change anything, and
# whoever needs a role names it in initSql. What happens: at PostgreSQL Flyway remembers current_user and sends
# SET ROLE with that name when it restores the connection, also when the role never changed and for info alone.
# A proxy or a policy that refuses SET ROLE breaks info with "Unable to restore connection to its original state".
set -euo pipefail
FLYWAY=13.12.1
DRIVER=42.7.7
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
# Only the program comes from here; libraries are those of the system (apt-get install postgresql brings them).
apt-get download -q "postgresql-15=$POSTGRESQL" >/dev/null 2>&1
dpkg -x ./*.deb root
ln -s root/usr/lib/postgresql/15/bin bin
mkdir data sql
if [ "$(id -u)" = 0 ]; then
  chown nobody data
  as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
$as bin/initdb -D data -U tester -A trust >/dev/null
$as bin/pg_ctl -D data -w -l data/log \
  -o "-p $port -k '' -c listen_addresses=127.0.0.1 -c log_statement=all" start >/dev/null
cat >pom.xml <<XML
<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
<dependencies>
<dependency><groupId>org.flywaydb</groupId><artifactId>flyway-database-postgresql</artifactId>
<version>$FLYWAY</version></dependency>
<dependency><groupId>org.postgresql</groupId><artifactId>postgresql</artifactId><version>$DRIVER</version></dependency>
</dependencies></project>
XML
mvn -q dependency:copy-dependencies -DoutputDirectory=lib
echo 'create table one (id int);' >sql/V1__one.sql
cat >Main.java <<'JAVA'
import org.flywaydb.core.Flyway;
public class Main {
  public static void main(String[] words) {
    Flyway flyway = Flyway.configure().dataSource(words[0], "tester", "").locations("filesystem:sql").load();
    if (words[1].equals("migrate")) flyway.migrate();
    System.out.println(words[1] + ": " + flyway.info().all().length + " migration");
  }
}
JAVA
run() { java -cp 'lib/*' Main.java "jdbc:postgresql://127.0.0.1:$port/postgres" "$1" 2>/dev/null; }
run migrate >/dev/null
before=$(wc -l <data/log)
result=$(run info)
sent=$(tail -n +"$((before + 1))" data/log | grep -io "set role.*" | sort | uniq -c | sed 's/^ *//')
echo "Flyway $FLYWAY, $result; statements that set a role during info: $sent"
[ "$result" = 'info: 1 migration' ] && [[ "$sent" == *"SET ROLE 'tester'" ]]
