/** Lines that each rule of the library must match, and lines that it must not match. */
export const LIBRARY_LINES: Readonly<
  Record<string, readonly [matches: readonly string[], passes: readonly string[]]>
> = {
  'rm-system': [
    ['rm -rf /', 'sudo rm -fr /*', 'rm -r -f /usr', 'rm --recursive ~', 'cd /; rm -rf /var/*'],
    ['rm -rf /srv/data', 'rm -rf ./etc', 'rm /etc/motd', 'ls -R /etc'],
  ],
  'rm-recursive': [
    [
      'rm -r x',
      'sudo -u app rm -fR old',
      'rm x -rf',
      '/bin/rm -rf x',
      'a && rm -rf b',
      "r''m -rf x",
    ],
    ['rm -f a-r.txt', 'rm file', 'ls -r', 'echo rm -rf', 'npm rm -r'],
  ],
  'find-delete': [
    [
      'find . -mtime +7 -delete',
      'find /tmp -type f -exec rm {} ;',
      'find . -execdir /bin/rm -f {} +',
    ],
    ['find . -name delete', 'find . -exec ls {} ;'],
  ],
  'rsync-delete': [['rsync -av --delete-after a b', 'rsync --del a b'], ['rsync -a a b']],
  'make-file-system': [
    ['mkfs /dev/sda', 'sudo mkfs.xfs -f /dev/nvme0n1', 'wipefs -a /dev/sdb', 'shred /dev/sda'],
    ['mkfs.ext4 disk.img', 'shred secret.txt', 'man mkfs'],
  ],
  'write-disk': [
    ['dd if=/dev/zero of=/dev/nvme0n1 bs=1M', 'cat x > /dev/sda', 'echo x | sudo tee /dev/vda'],
    ['dd if=/dev/sda of=disk.img', 'cat x > /dev/null', 'ls /dev/sda'],
  ],
  partition: [
    ['parted -s /dev/sda mklabel gpt', 'sgdisk --zap-all /dev/sda', 'sudo cfdisk /dev/vda'],
    ['fdisk -l', 'fdisk -l /dev/sda', 'sgdisk -p /dev/sda'],
  ],
  'remove-volume': [
    ['vgremove vg0', 'zpool destroy tank', 'mdadm --stop /dev/md0', 'sudo pvremove /dev/sdb'],
    ['lvs', 'zpool status', 'mdadm --detail /dev/md0'],
  ],
  power: [
    [
      'reboot',
      'shutdown -h now',
      'shutdown now',
      'shutdown +5',
      'init 0',
      'systemctl poweroff',
      'sudo -n /sbin/reboot',
      'true; halt',
    ],
    ['shutdown -c', 'last reboot', 'journalctl -b', 'systemctl status reboot.target', 'init'],
  ],
  'kill-all': [
    ['kill -9 -1', 'kill -KILL -1', 'killall5'],
    ['kill -9 100', 'kill -1 100'],
  ],
  'fork-bomb': [[':(){ :|:& };:', 'b() { b | b & }; b'], ['f() { ls | wc; }']],
  'permissions-system': [
    ['chmod -R 777 /', 'chown -R app:app /etc', 'sudo chgrp -R wheel /usr/'],
    ['chmod -R 755 /srv/app', 'chown root /etc', 'chown -R app .'],
  ],
  'world-writable': [
    ['chmod 0777 x', 'chmod -R 666 dir', 'chmod a+rwx x', 'chmod o+w x'],
    ['chmod 755 x', 'chmod u+w x', 'chmod g+w x', 'chmod 640 x', 'chmod +x x'],
  ],
  'accounts-file': [
    ['echo x >> /etc/passwd', 'echo x | sudo tee -a /etc/sudoers.d/x', 'sed -i s/a/b/ /etc/shadow'],
    ['cat /etc/passwd', 'grep root < /etc/shadow', 'echo x > /etc/motd'],
  ],
  'delete-account': [
    ['deluser bob', 'sudo groupdel dev'],
    ['useradd bob', 'id bob'],
  ],
  'firewall-off': [
    ['iptables -t nat -F', 'nft flush ruleset', 'ufw disable', 'systemctl disable --now firewalld'],
    ['iptables -L -n', 'nft list ruleset', 'ufw status', 'systemctl status firewalld'],
  ],
  'network-off': [
    [
      'ip link set dev eth0 down',
      'ifdown eth0',
      'nmcli con down eth0',
      'systemctl restart NetworkManager',
      'service ssh stop',
    ],
    ['ip link show', 'nmcli con show', 'systemctl status ssh', 'ip link set eth0 up'],
  ],
  'default-route': [
    ['ip route del default via 192.0.2.1', 'ip -6 route flush all', 'route del default'],
    ['ip route', 'route -n', 'ip route add default via 192.0.2.1'],
  ],
  'crontab-remove': [
    ['crontab -u app -r', 'crontab -ir'],
    ['crontab -l', 'crontab -e'],
  ],
  'download-run': [
    ['curl -fsSL https://x.example | sh', 'wget -qO- x.example | sudo -E bash -s'],
    ['curl https://x.example | jq .', 'curl -O x.sh', 'wget x.example | tee a'],
  ],
  'remove-traces': [
    [
      'history -cw',
      'unset HISTFILE',
      'export HISTFILE=/dev/null',
      '> /var/log/auth.log',
      'rm -f ~/.bash_history',
      'truncate -s 0 /var/log/messages',
      'journalctl --vacuum-time=1s',
    ],
    ['history 20', 'tail /var/log/syslog', 'echo $HISTFILE', 'journalctl -u ssh'],
  ],
  'protection-off': [
    ['setenforce Permissive', 'auditctl -e 0', 'systemctl stop auditd', 'systemctl mask rsyslog'],
    ['getenforce', 'auditctl -l', 'systemctl status auditd', 'setenforce 1'],
  ],
  'remove-packages': [
    ['yum remove -y httpd', 'dnf erase httpd', 'rpm -e httpd', 'sudo dpkg -P nginx', 'apt purge x'],
    ['apt list', 'rpm -qa', 'dpkg -l', 'yum install remove-tool'],
  ],
  'containers-prune': [
    ['podman image prune', 'docker volume rm data', 'docker rm -f $(docker ps -aq)'],
    ['docker images', 'docker rm one', 'docker volume ls'],
  ],
  'kubernetes-delete': [
    ['kubectl -n shop delete pod x', 'oc drain node1', 'helm uninstall shop'],
    ['kubectl get pods', 'helm list', 'kubectl describe pod delete'],
  ],
  'restart-device': [
    ['rel', 'reload in 5', 'do reload', 'REBOOT', 'schedule reboot delay 10', 'reload module 1'],
    ['reload cancel', 'show reload', 'undo schedule reboot', 'release'],
  ],
  'erase-configuration': [
    [
      'wr er',
      'erase startup-config',
      'delete nvram:startup',
      'reset saved-configuration',
      'restore factory-default',
    ],
    ['write memory', 'wr', 'reset counters interface', 'display saved-configuration'],
  ],
  'format-storage': [
    ['erase flash:', 'format cfcard:'],
    ['dir flash:', 'show format'],
  ],
  'delete-files': [
    ['del flash:image.bin', 'delete /unreserved flash:/x.cc', 'reset recycle-bin'],
    ['dir', 'undelete flash:x', 'show flash:'],
  ],
  'replace-configuration': [
    ['conf rep flash:x', 'rollback running-config checkpoint a', 'rollback configuration last 1'],
    ['configure terminal', 'show rollback', 'configuration checkpoint x'],
  ],
  'interface-down': [
    ['shut', 'do shutdown'],
    ['no shut', 'undo shutdown', 'show', 'shutdown vlan'],
  ],
  'interface-default': [
    ['default int g0/1', 'default', 'clear configuration this'],
    ['default-information originate', 'clear counters', 'default-metric 10'],
  ],
  'trunk-vlans': [
    [
      'sw tr al vl 10,20',
      'switchport trunk allowed vlan none',
      'undo port trunk allow-pass vlan all',
    ],
    [
      'switchport trunk allowed vlan add 20',
      'port trunk allow-pass vlan 20',
      'switchport mode trunk',
    ],
  ],
  'remove-vlan': [
    ['undo vlan batch 10 to 20', 'no vlan 2-4'],
    ['vlan 20', 'no vlan access-map x'],
  ],
  'remove-address': [
    ['undo ip address', 'no ip address 192.0.2.1 255.255.255.0', 'no ipv6 address'],
    ['ip address 192.0.2.1 24', 'no ip proxy-arp'],
  ],
  'remove-routing': [
    ['no router ospf 1', 'undo bgp', 'undo ospf 1', 'undo rip 1'],
    ['router bgp 1', 'undo ospf cost', 'no router-id'],
  ],
  'remove-default-route': [
    ['undo ip route-static 0.0.0.0 0', 'no ip route vrf a 0.0.0.0 0.0.0.0', 'no ipv6 route ::/0 x'],
    ['no ip route 10.0.0.0 255.0.0.0', 'ip route 0.0.0.0 0.0.0.0 192.0.2.1'],
  ],
  'reset-neighbours': [
    ['clear bgp ipv4 unicast *', 'reset bgp all', 'clear ip ospf process', 'reset ospf 1 process'],
    ['clear ip bgp * soft', 'clear ip bgp 192.0.2.1', 'refresh bgp all import', 'show ip bgp'],
  ],
  'debug-all': [
    ['deb all', 'debug ip packet', 'debugging all'],
    ['undebug all', 'no debug all', 'undo debugging all', 'debug ip ospf adj'],
  ],
  'remove-access-list': [
    ['no ip access-list extended x', 'undo acl 3000', 'no access-list 10'],
    ['ip access-list extended x', 'no ip access-group 101 in', 'acl 3000'],
  ],
  'remove-sign-in': [
    ['no aaa new-model', 'transport input none', 'undo local-user bob', 'no ip ssh version 2'],
    ['username bob', 'transport input ssh', 'aaa new-model', 'undo info-center enable'],
  ],
  'postgresql-drop-database': [
    ['drop schema if exists s cascade', '/* x */ DROP DATABASE "Shop"', 'DROP OWNED BY app'],
    ['CREATE DATABASE shop', 'DROP TABLE database'],
  ],
  'postgresql-drop-table': [
    [
      'drop materialized view v',
      'ALTER TABLE t DROP COLUMN c',
      'DROP/**/TABLE t',
      'alter table if exists only 订单 drop if exists c cascade',
      'alter table t add b int, drop"c"',
      'alter foreign table t drop c',
      'alter type t drop attribute a',
      'drop domain d cascade',
      `alter table U&"!0074" uescape '!' drop c`,
      `alter table "t" drop U&"!0063" uescape '!'`,
    ],
    [
      'alter table t add column c int',
      'DROP DATABASE shop',
      'CREATE INDEX i ON t (c)',
      'alter table t alter c drop default, drop constraint d',
    ],
  ],
  'postgresql-truncate': [
    [
      'truncate table only t',
      'DELETE FROM orders',
      'delete from only shop.orders as o',
      'delete from only (orders)',
      'delete from"order lines"',
      'delete from u&"orders"',
      `delete from U&"!0076" uescape '!'`,
    ],
    ['DELETE FROM orders WHERE id = 1'],
  ],
  'postgresql-always-true': [
    [
      'delete from 订单 where true',
      'delete from orders where (true)',
      "delete from orders where 't'",
      "delete from orders where 'yes'::bool",
      'delete from orders where not false returning id',
      'delete from orders where 1<2',
      'delete from orders where ((true)) returning *',
      'delete from orders where id = 1 or true',
      'delete from orders where true or id = 1',
      'delete from orders where exists (select 1)',
      'DELETE FROM orders USING x WHERE true',
      'merge into orders using x on true when matched then delete',
    ],
    [
      'DELETE FROM orders WHERE id = 1',
      'DELETE FROM orders WHERE id = 1 OR id = 2',
      "DELETE FROM orders WHERE state = 'true'",
      'DELETE FROM orders WHERE id IN (SELECT id FROM old)',
      'merge into t using s on t.a = s.a when matched then delete',
    ],
  ],
  'postgresql-roles': [
    [
      'CREATE USER a WITH LOGIN SUPERUSER',
      'grant pg_read_server_files to a',
      'GRANT ALL ON t TO a',
      'create group a superuser',
      `grant U&"pg!005fmonitor" uescape '!' to a`,
      'grant readers, pg_monitor to a',
      'create role a in role pg_monitor',
      'alter default privileges grant all on tables to a',
    ],
    [
      'ALTER ROLE a NOSUPERUSER',
      'GRANT SELECT ON pg_catalog.t TO a',
      'GRANT SELECT ON t TO a',
      'CREATE ROLE a LOGIN',
    ],
  ],
  'postgresql-drop-role': [['drop user a', 'REASSIGN OWNED BY a TO b'], ['CREATE ROLE a']],
  'postgresql-other-role': [
    [
      'set local role a',
      'SET SESSION AUTHORIZATION a',
      "select set_config('role', 'a', false)",
      'select "set_config"($$session_authorization$$, $$a$$, false)',
      'set session_authorization = a',
      String.raw`select set_config(E'\x72ole', 'a', false)`,
      String.raw`select set_config(U&'\0072ole', 'a', false)`,
      "select set_config('ro'\n'le', 'a', false)",
      "select set_config(text 'role', 'a', false)",
      "select set_config(name, 'a', false) from pg_settings where name = 'role'",
      "update pg_settings set setting = 'a' where name = 'role'",
      'alter role b set role = a',
    ],
    ['SET search_path = a', 'RESET ROLE', "select set_config('search_path', 'a', false)"],
  ],
  'postgresql-programs': [
    [
      "copy (select 1) to program 'x'",
      "SELECT pg_read_file('/etc/passwd')",
      "select lo_import('/x')",
      `select U&"pg!005fread_file" uescape '!' ('/etc/passwd')`,
      "select pg_stat_file('/etc/passwd')",
      'select pg_ls_logdir()',
      "create foreign table t (a text) server s options (program 'id')",
      "alter foreign table t options (set filename '/etc/passwd')",
      'table pg_hba_file_rules',
    ],
    ['COPY t TO STDOUT', "SELECT 'no file'"],
  ],
  'postgresql-server-files': [
    [
      "copy t from '/tmp/x' csv",
      "COPY (SELECT 1) TO E'/tmp/x'",
      'copy "t"to $a$/tmp/x$a$',
      'copy t to $\u{1f600}$/tmp/x$\u{1f600}$',
      "copy t to u&'/tmp/x'",
    ],
    ['COPY t FROM STDIN', 'copy t to stdout'],
  ],
  'postgresql-dynamic': [
    ['execute q', 'PREPARE q AS SELECT 1', 'CALL p()', "do 'begin end'"],
    ['SELECT execute FROM t', 'SELECT 1'],
  ],
  'postgresql-terminate': [
    [
      'select pg_cancel_backend(pid) from pg_stat_activity',
      `select U&"pg!005fcancel_backend" uescape '!' (1)`,
    ],
    ['SELECT pg_backend_pid()'],
  ],
  'postgresql-settings': [
    [
      'alter system reset all',
      'select pg_reload_conf()',
      'ALTER DATABASE d SET work_mem = 1',
      'alter role all set work_mem = 1',
    ],
    ['SET work_mem = 1', 'SHOW ALL', 'ALTER DATABASE d OWNER TO a'],
  ],
  'postgresql-locks': [
    [
      ...['vacuum (full, analyze) t', 'LOCK TABLE t', 'REINDEX TABLE t', 'CLUSTER t USING i'],
      ...['reindex (verbose) table t', 'reindex table c', 'refresh materialized view v'],
    ],
    [
      'VACUUM t',
      'REINDEX TABLE CONCURRENTLY t',
      'refresh materialized view concurrently v',
      'VACUUM (ANALYZE) t',
    ],
  ],
  'postgresql-code': [
    [
      'create extension if not exists file_fdw',
      "LOAD 'x'",
      "CREATE FUNCTION f() RETURNS int AS 'x' LANGUAGE c",
      'create or replace function f() returns int language plpython3u as $$1$$',
      "create function f() returns int language $$c$$ as 'x'",
      "create function f() returns int language E'c' as 'x'",
      "do language plpython3u 'x'",
    ],
    [
      'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$select 1$$',
      'CREATE TABLE extension (a int)',
    ],
  ],
  'postgresql-protection': [
    [
      ...['alter table t disable row level security', 'SET session_replication_role = replica'],
      ...['alter foreign table t disable trigger all', 'alter table t enable replica trigger a'],
      ...['alter domain d drop constraint c', 'alter event trigger a disable', 'drop rule r on t'],
    ],
    ['ALTER TABLE t ENABLE TRIGGER ALL', 'CREATE POLICY p ON t'],
  ],
  'mysql-drop-database': [
    ['drop schema if exists shop', '/*! DROP */ DATABASE shop', 'create or replace database shop'],
    ['USE shop'],
  ],
  'mysql-drop-table': [
    [
      'drop temporary table t',
      'alter table `t` drop column c',
      'DROP VIEW v',
      'drop tables a, b',
      'alter online table `t` drop`c`, add d int',
      'create or replace table t (a int)',
      'alter table t wait 5 drop b',
      'alter table if exists t nowait drop if exists b',
      'alter table t drop b partition by hash (a) partitions 2',
      'alter table t drop b remove partitioning',
      'alter table .t drop b',
      'create or replace sequence s',
    ],
    ['ALTER TABLE t ADD c int', 'CREATE TABLE t (a int)', 'alter table t drop primary key'],
  ],
  'mysql-truncate': [
    [
      'truncate table t',
      'DELETE FROM `shop`.`orders`',
      'alter table t truncate partition p',
      'delete low_priority quick from`订单`',
      'delete quick orders.* from shop.orders',
      'delete o from orders as o',
      'delete from o using `orders` o',
      'delete from orders order by id',
      'delete from orders limit 10000000',
      'delete from orders partition (p0)',
      'delete a, b from orders a join notes b',
      'delete from a, b using a, b',
      'delete a from orders a cross join b',
      'delete from .orders',
      'delete history from orders',
    ],
    [
      'DELETE FROM orders WHERE id = 1',
      'DELETE FROM orders LIMIT 5',
      'DELETE o FROM orders o WHERE id = 1',
      'DELETE FROM o USING orders o JOIN x ON x.id = o.id',
    ],
  ],
  'mysql-always-true': [
    [
      'delete from orders where 1',
      'delete from orders where not 0',
      "delete from orders where 'a' = 'a' limit 99999999",
      'delete a from orders a cross join b where true',
      'delete from orders where!0',
    ],
    [
      'DELETE FROM orders WHERE id = 1 LIMIT 5',
      'DELETE FROM orders WHERE id > 1 AND id < 5',
      'DELETE o FROM orders o JOIN x ON x.id = o.id WHERE x.old = 1',
    ],
  ],
  'mysql-rights': [
    [
      ...["grant select on *.* to 'a'@'%' with grant option", "GRANT SUPER ON *.* TO 'a'"],
      ...['grant federated admin on *.* to a', 'grant r to a with admin option'],
      ...['grant create user on *.* to a', 'grant insert on mysql.* to a'],
    ],
    ['grant select on shop.admin to a', "GRANT SELECT ON shop.* TO 'a'", 'SHOW GRANTS'],
  ],
  'mysql-accounts': [
    [
      "create user 'a'",
      "SET PASSWORD = 'x'",
      'update mysql.user set x = 1',
      'FLUSH PRIVILEGES',
      "insert ignore mysql.user set user = 'a'",
      'delete quick from`mysql`.user where 1',
      'create or replace user a',
      "set @a = 1, password = 'x'",
      "grant usage on *.* to a identified by 'x'",
      'flush local status, privileges',
      "update shop.t, (select 'a') b, mysql.user set x = 1",
      'delete u from mysql.user u where id = 1',
      "load data local infile 'x' into table mysql.db",
    ],
    [
      "insert into notes values ('see mysql.user')",
      'UPDATE user SET a = 1 WHERE id = 1',
      'SELECT user()',
    ],
  ],
  'mysql-server-files': [
    [
      "select load_file('/etc/passwd')",
      "LOAD DATA INFILE '/x' INTO TABLE t",
      "select 1 into dumpfile 'x'",
      "create table t (a int) data directory = '/srv'",
    ],
    ["LOAD DATA LOCAL INFILE 'x' INTO TABLE t", 'SELECT 1 INTO @a'],
  ],
  'mysql-settings': [
    ['set @@global.read_only = 1', 'SET PERSIST max_connections = 5', 'RESET PERSIST'],
    ['SET @a = 1', 'SET SESSION sql_mode = 1', 'SELECT @@global.read_only'],
  ],
  'mysql-checks': [
    [
      ...[
        'set session unique_checks=0',
        'SET @@sql_log_bin = OFF',
        'SET a = 1, foreign_key_checks=0',
      ],
      ...['set foreign_key_checks="off"', 'set foreign_key_checks=(0)', 'set unique_checks=1-1'],
      ...['set unique_checks=not 1', 'set unique_checks=if(1,0,1)', 'set unique_checks=-0'],
      ...['set check_constraint_checks=0', 'set foreign_key_checks=1 is null'],
    ],
    [
      'SET foreign_key_checks = 1',
      'SET foreign_key_checks=@OLD, unique_checks=on',
      'SELECT @@foreign_key_checks',
    ],
  ],
  'mysql-replication': [
    [
      "purge binary logs to 'x'",
      'STOP REPLICA',
      'CHANGE MASTER TO a = 1',
      'stop all slaves',
      'reset query cache, master',
    ],
    ['SHOW REPLICA STATUS', 'START REPLICA', 'SHOW BINARY LOGS'],
  ],
  'mysql-kill': [['kill query 42'], ['SHOW PROCESSLIST']],
  'mysql-shutdown': [['restart'], ['START TRANSACTION', 'SHOW STATUS']],
  'mysql-code': [
    ["create aggregate function f returns int soname 'x.so'", 'UNINSTALL PLUGIN p'],
    ['CREATE FUNCTION f() RETURNS int RETURN 1', 'SHOW PLUGINS'],
  ],
  'mysql-dynamic': [["prepare s from 'x'", 'EXECUTE s', 'call p()'], ['DEALLOCATE PREPARE s']],
  'mysql-locks': [
    [
      ...['lock tables t write', 'optimize table t', 'ALTER TABLE t ENGINE = InnoDB'],
      ...['alter ignore table t engine = InnoDB', 'flush tables t for export', 'backup lock t'],
    ],
    ['UNLOCK TABLES', 'FLUSH LOGS', 'ANALYZE TABLE t'],
  ],
  'redis-flush': [
    ['flushdb async', '"FLUSHALL"'],
    ['GET flushall', 'DEL flushdb'],
  ],
  'redis-stop': [
    ['shutdown', 'debug sleep 10'],
    ['GET shutdown', 'PING'],
  ],
  'redis-settings': [['config rewrite', 'CONFIG RESETSTAT'], ['config get *']],
  'redis-modules': [['module unload m'], ['MODULE LIST']],
  'redis-scripts': [
    ['evalsha abc 0', 'FUNCTION FLUSH', 'script kill'],
    ['EVAL_RO x 0', 'script exists x'],
  ],
  'redis-replication': [
    ['slaveof no one', 'CLUSTER RESET HARD', 'failover'],
    ['ROLE', 'CLUSTER NODES', 'INFO replication'],
  ],
  'redis-accounts': [['acl setuser app on'], ['ACL WHOAMI', 'ACL LIST']],
  'redis-keys': [['keys user:*'], ['SCAN 0 MATCH user:*', 'GET keys']],
  'redis-monitor': [['monitor'], ['MEMORY USAGE k', 'GET monitor']],
  'redis-save': [['save'], ['BGSAVE', 'LASTSAVE', 'GET save']],
  'redis-clients': [
    ['client kill 127.0.0.1:5000', 'CLIENT PAUSE 100'],
    ['CLIENT LIST', 'client info'],
  ],
  'redis-databases': [
    ['swapdb 0 1', 'MIGRATE h 6379 k 0 10', 'move k 1'],
    ['COPY a b', 'RENAME a b'],
  ],
};
