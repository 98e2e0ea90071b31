/** A program that reads `victim` (ids 1 to 5) with one driver, and prints `15` as its last line. */
export interface DriverProgram {
  readonly name: string;
  readonly command: readonly [program: string, ...words: string[]];
}

const python = (name: string, program: string): DriverProgram => ({
  name,
  command: [
    '/usr/bin/python3',
    '-W',
    'ignore',
    '-c',
    `import os
port, user = int(os.environ["TEST_PORT"]), os.environ["TEST_USER"]
password = os.environ["TEST_PASSWORD"]
at = dict(host="127.0.0.1", port=port, user=user, password=password)
${program}`,
  ],
});
const perl = (name: string, program: string): DriverProgram => ({
  name,
  command: ['/usr/bin/perl', '-MDBI', '-we', program],
});

const SUM = 'select sum(id) from victim';
const DJANGO = (engine: string, database: string) => `
import django
from django.conf import settings
place = {"ENGINE": "django.db.backends.${engine}", "NAME": "${database}", "USER": user,
    "PASSWORD": password, "HOST": "127.0.0.1", "PORT": port}
settings.configure(DATABASES={"default": place}, USE_TZ=True, TIME_ZONE="Asia/Shanghai")
django.setup()
from django.db import connection, models, transaction
class Victim(models.Model):
    id = models.IntegerField(primary_key=True)
    class Meta:
        app_label, db_table = "app", "victim"
with transaction.atomic():
    ids = [one.id for one in Victim.objects.order_by("id").iterator(chunk_size=2)]
assert "victim" in connection.introspection.table_names()
print(sum(ids))`;
const SQLALCHEMY = (driver: string, database: string) => `
import sqlalchemy as s, sqlalchemy.engine
url = s.engine.URL.create("${driver}", user, password, "127.0.0.1", port, "${database}")
engine = s.create_engine(url, pool_size=1, max_overflow=0)
for _ in range(3):
    with engine.connect() as connection:
        found = connection.execute(s.text("${SUM}")).scalar()
with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
    assert connection.execute(s.text("${SUM}")).scalar() == found
with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
    assert connection.execute(s.text("${SUM}")).scalar() == found
assert "victim" in s.inspect(engine).get_table_names()
print(int(found))`;

/** ODBC: metadata, each mode of commit, rows by tens, and more settings of the driver. */
const ODBC = (driver: string, database: string, settings: readonly string[]) => `
import pyodbc
pyodbc.pooling = False
place = "DRIVER={${driver}};SERVER=127.0.0.1;DATABASE=${database}"
at = f"{place};PORT={port};UID={user};PWD={password}"
for more in ${JSON.stringify(settings)}:
    connection = pyodbc.connect(at + more)
    cursor = connection.cursor()
    assert cursor.tables(table="victim").fetchone()
    assert cursor.primaryKeys("victim").fetchone()
    cursor.execute("select id from victim where id > ? order by id", 0)
    total = sum(row[0] for row in cursor.fetchmany(2) + cursor.fetchall())
    connection.commit()
    connection.autocommit = True
    assert cursor.execute("${SUM}").fetchone()[0] == total
    connection.close()
print(total)`;

/** Drivers of PostgreSQL, as Debian 12 packages them. */
export const POSTGRESQL_DRIVERS: readonly DriverProgram[] = [
  python(
    'psycopg 3.1 with client and server cursors, and a session that is reset',
    `
import psycopg
with psycopg.connect(**at, dbname="sales") as connection:
    total = connection.execute("${SUM}").fetchone()[0]
    with connection.cursor(name="many") as cursor:
        cursor.itersize = 2
        cursor.execute("select id from victim order by id")
        assert sum(row[0] for row in cursor) == total
    connection.commit()
    connection.read_only = True
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    for _ in range(8):
        row = connection.execute("select sum(id) from victim where id > %s", [0]).fetchone()
        assert row[0] == total
    connection.commit()
    connection.autocommit = True
    connection.execute("discard all")
    print(total)`,
  ),
  python(
    'psycopg2 with a named cursor and session settings',
    `
import psycopg2
connection = psycopg2.connect(**at, dbname="sales")
connection.set_session(isolation_level="SERIALIZABLE", readonly=True, deferrable=True)
with connection, connection.cursor("many") as cursor:
    cursor.itersize = 2
    cursor.execute("select id from victim")
    total = sum(row[0] for row in cursor)
connection.reset()
with connection, connection.cursor() as cursor:
    cursor.execute("set extra_float_digits to 3")
    cursor.execute("${SUM}")
    assert cursor.fetchone()[0] == total
print(total)`,
  ),
  python(
    'asyncpg 0.27 with a pool',
    `
import asyncio, asyncpg
async def main():
    async with asyncpg.create_pool(**at, database="sales", min_size=1, max_size=1) as pool:
        for _ in range(3):
            async with pool.acquire() as connection:
                total = await connection.fetchval("${SUM}")
                async with connection.transaction(readonly=True):
                    rows = connection.cursor("select id from victim", prefetch=2)
                    ids = [row["id"] async for row in rows]
                assert sum(ids) == total
    print(total)
asyncio.run(main())`,
  ),
  python('Django 3.2 on PostgreSQL', DJANGO('postgresql', 'sales')),
  python('SQLAlchemy 1.4 on PostgreSQL', SQLALCHEMY('postgresql+psycopg2', 'sales')),
  python(
    'psqlodbc 13.2 with cursors, and with its own preparation',
    ODBC('PostgreSQL Unicode', 'sales', [
      '',
      ';UseDeclareFetch=1;Fetch=2',
      ';UseServerSidePrepare=0',
    ]),
  ),
  {
    // pgsqlCopyToArray sends COPY … TO STDIN.
    name: 'PDO of PHP 8.2 with prepared statements, transactions and COPY',
    command: [
      '/usr/bin/php',
      '-r',
      `$at = 'pgsql:host=127.0.0.1;dbname=sales;port=' . getenv('TEST_PORT');
$c = new PDO($at, getenv('TEST_USER'), getenv('TEST_PASSWORD'));
$c->beginTransaction();
$s = $c->prepare('select count(*) from victim where id <= ?'); $s->execute([5]); $c->commit();
$ids = array_map(intval(...), $c->pgsqlCopyToArray('victim'));
if ($s->fetchColumn() === count($ids)) echo array_sum($ids), "\\n";`,
    ],
  },
];

/** Drivers of MySQL and MariaDB, as Debian 12 packages them. */
export const MYSQL_DRIVERS: readonly DriverProgram[] = [
  python(
    'PyMySQL 1.0',
    `
import pymysql, pymysql.cursors
settings = [{}, {"autocommit": True}, {"sql_mode": "STRICT_TRANS_TABLES"},
    {"init_command": "set session wait_timeout = 60"}]
for more in settings:
    connection = pymysql.connect(**at, database="shop", **more)
    with connection.cursor(pymysql.cursors.SSCursor) as cursor:
        cursor.execute("select id from victim")
        total = sum(row[0] for row in cursor)
    connection.begin()
    connection.rollback()
print(total)`,
  ),
  python(
    'mysqlclient 1.4',
    `
import MySQLdb
connection = MySQLdb.connect(**at, database="shop", charset="utf8mb4", sql_mode="TRADITIONAL")
cursor = connection.cursor()
cursor.execute("${SUM}")
print(int(cursor.fetchone()[0]))
connection.commit()`,
  ),
  python('Django 3.2 on MariaDB', DJANGO('mysql', 'shop')),
  python('SQLAlchemy 1.4 on MariaDB', SQLALCHEMY('mysql+pymysql', 'shop')),
  python(
    'MariaDB ODBC 3.1 with its own preparation, and with rows as they come',
    ODBC('MariaDB Unicode', 'shop', ['', ';NO_CACHE=1', ';PREPONCLIENT=1', ';CHARSET=utf8mb4']),
  ),
  ...(['MariaDB', 'mysql'] as const).map((driver) =>
    perl(
      `DBD::${driver} with begin_work`,
      `my $place = "DBI:${driver}:database=shop;host=127.0.0.1;port=$ENV{TEST_PORT}";
my $d = DBI->connect($place, $ENV{TEST_USER}, $ENV{TEST_PASSWORD}, {RaiseError => 1});
$d->begin_work; my ($n) = $d->selectrow_array("${SUM}"); $d->commit;
$d->{AutoCommit} = 0; $d->rollback; $d->{AutoCommit} = 1; print "$n\\n"; $d->disconnect;`,
    ),
  ),
  {
    name: 'mysqli of PHP 8.2 with autocommit(false)',
    command: [
      '/usr/bin/php',
      '-r',
      `mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$at = [getenv('TEST_USER'), getenv('TEST_PASSWORD'), 'shop', (int) getenv('TEST_PORT')];
$c = new mysqli('127.0.0.1', ...$at); $c->set_charset('utf8mb4');
$c->autocommit(false); $c->begin_transaction(MYSQLI_TRANS_START_READ_ONLY);
$n = $c->query('${SUM}')->fetch_row()[0]; $c->commit(); $c->autocommit(true); echo $n, "\\n";`,
    ],
  },
];
