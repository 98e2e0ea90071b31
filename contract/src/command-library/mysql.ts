import {
  RULE_CONFIRM as CONFIRM,
  RULE_HOLD as HOLD,
  RULE_WARN as WARN,
} from '../resources/assets/command-filter-rule.ts';
import { DENY, type LibraryGroup } from './library-rule.ts';
import { SQL, sqlRules } from './sql-rules.ts';

/** The beginning of a table of accounts, rights or plugins. */
const SYSTEM = String.raw`[\x60"]?mysql[\x60"]? ?\.`;
/** Anything, with whole strings only. */
const NO_STRING = "(?:[^']|'[^']*')*";
/** Values of a switch other than on: off, or an expression that computes it. */
const OFF = String.raw`(?:["']?(?:0|off?\b|false)|["']of|not\b|null\b|case\b|[!(+.-]|[bx]'|\w+ ?\(|1 ?(?:[-+*/%&|^<>=!]|(?:and|div|mod|is|in|like|xor|between|regexp|rlike)\b))`;

export const mysql: LibraryGroup = {
  name: 'mysql',
  title: { en: 'MySQL and MariaDB', zh: 'MySQL 和 MariaDB' },
  rules: [
    {
      id: 'mysql-drop-database',
      action: HOLD,
      sentence: {
        en: 'Removes a database with everything in it.',
        zh: '删除数据库及其全部内容。',
      },
      content: String.raw`${SQL}(?:drop (?:database|schema|tablespace)|create or replace (?:database|schema))\b`,
      example: 'DROP DATABASE shop',
    },
    ...sqlRules('mysql'),
    {
      id: 'mysql-rights',
      action: HOLD,
      sentence: {
        en: 'Gives an account the rights of an administrator.',
        zh: '授予账号管理员权限。',
      },
      content: String.raw`${SQL}grant (?:all\b|.*\b(?:super|file|shutdown|process|reload|\w+_admin|(?:connection|federated|binlog|read_only|read only|master|slave|replica) admin|binlog replay|(?:create|set) user|replication (?:slave|replica)|(?:grant|admin) option)\b|proxy\b|.* on ${SYSTEM})`,
      example: "GRANT ALL ON *.* TO 'app'@'%'",
    },
    {
      id: 'mysql-accounts',
      action: HOLD,
      sentence: {
        en: 'Changes accounts or their passwords.',
        zh: '修改账号或其密码。',
      },
      content: String.raw`${SQL}(?:(?:create(?: or replace)?|alter|drop|rename) (?:user|role)\b|set (?:.*, ?)?password\b|set default role\b|grant\b.* identified\b|flush (?:local |no_write_to_binlog )?(?:.*, ?)?privileges\b|(?:insert|replace|update|delete|truncate|alter table|drop table|rename table|create (?:or replace )?table)\b${NO_STRING}[\s,(\x60"]${SYSTEM}|load (?:data|xml)\b.* into table ${SYSTEM})`,
      example: "DROP USER 'app'@'%'",
    },
    {
      id: 'mysql-server-files',
      action: DENY,
      sentence: {
        en: 'Reads or writes a file of the database server.',
        zh: '读写数据库服务器上的文件。',
      },
      content: String.raw`(?i)(?:\binto (?:outfile|dumpfile)\b|\bload_file ?\(|^load (?:data|xml) (?:low_priority |concurrent )?infile\b|^(?:create|alter)\b.*\b(?:data|index) directory\b)`,
      example: "SELECT * FROM t INTO OUTFILE '/tmp/t'",
    },
    {
      id: 'mysql-settings',
      action: HOLD,
      sentence: {
        en: 'Changes settings of the whole server.',
        zh: '修改整个服务器的设置。',
      },
      content: String.raw`(?i)^(?:set\b.*(?:\b(?:global|persist|persist_only) |@@(?:global|persist|persist_only) ?\.)|reset persist\b)`,
      example: 'SET GLOBAL read_only = 0',
    },
    {
      id: 'mysql-checks',
      action: HOLD,
      sentence: {
        en: 'Turns off the checks of keys, or the binary log.',
        zh: '关闭键检查或二进制日志。',
      },
      content: String.raw`(?i)^set\b.*\b(?:foreign_key_checks|unique_checks|check_constraint_checks|sql_log_bin|sql_safe_updates)\b[\x60" ]*:?= ?${OFF}`,
      example: 'SET foreign_key_checks = 0',
    },
    {
      id: 'mysql-replication',
      action: HOLD,
      sentence: {
        en: 'Stops the replication or deletes binary logs.',
        zh: '停止复制或删除二进制日志。',
      },
      content: String.raw`${SQL}(?:purge (?:binary|master) logs|reset (?:.*, ?)?(?:master|slave|replica|binary)|stop (?:all )?(?:slaves?|replicas?|group_replication)|change (?:master|replication))\b`,
      example: 'RESET MASTER',
    },
    {
      id: 'mysql-kill',
      action: CONFIRM,
      sentence: {
        en: 'Ends statements or connections of others.',
        zh: '终止其他人的语句或连接。',
      },
      content: String.raw`${SQL}kill\b`,
      example: 'KILL 42',
    },
    {
      id: 'mysql-shutdown',
      action: DENY,
      sentence: { en: 'Stops the database server.', zh: '停止数据库服务器。' },
      content: String.raw`${SQL}(?:shutdown|restart)\b`,
      example: 'SHUTDOWN',
    },
    {
      id: 'mysql-code',
      action: DENY,
      sentence: {
        en: 'Installs code that runs inside of the server.',
        zh: '安装在服务器内部运行的代码。',
      },
      content: String.raw`${SQL}(?:(?:un)?install (?:plugin|component|soname)\b|create (?:or replace )?(?:aggregate )?function\b.*\bsoname\b)`,
      example: "INSTALL PLUGIN p SONAME 'p.so'",
    },
    {
      id: 'mysql-dynamic',
      action: DENY,
      sentence: {
        en: 'Puts statements together that no rule can read.',
        zh: '动态拼接语句，规则无法检查。',
      },
      content: String.raw`${SQL}(?:execute|prepare|call|begin not atomic)\b`,
      example: 'PREPARE s FROM @q',
    },
    {
      id: 'mysql-locks',
      action: WARN,
      sentence: {
        en: 'Locks tables; others wait until it has finished.',
        zh: '锁定表，其他人须等待其完成。',
      },
      content: String.raw`${SQL}(?:lock (?:tables?|instance)\b|backup (?:stage|lock)\b|flush (?:local |no_write_to_binlog )?tables?\b.*\b(?:read lock|for export)\b|(?:optimize|repair)\b.*\btables?\b|alter (?:online |ignore )*table\b.*\bengine\b)`,
      example: 'FLUSH TABLES WITH READ LOCK',
    },
  ],
};
