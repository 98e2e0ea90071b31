import {
  RULE_CONFIRM as CONFIRM,
  RULE_HOLD as HOLD,
  RULE_WARN as WARN,
} from '../resources/assets/command-filter-rule.ts';
import { DENY, type LibraryGroup } from './library-rule.ts';
import { SQL, sqlRules } from './sql-rules.ts';

/** The beginning of a string. */
const QUOTE = String.raw`(?:e|u&)?(?:'|\$[^\s$]*\$)`;

export const postgresql: LibraryGroup = {
  name: 'postgresql',
  title: { en: 'PostgreSQL', zh: 'PostgreSQL' },
  rules: [
    {
      id: 'postgresql-drop-database',
      action: HOLD,
      sentence: {
        en: 'Removes a database or a schema with everything in it.',
        zh: '删除数据库或模式及其全部内容。',
      },
      content: String.raw`${SQL}drop (?:database|schema|tablespace|owned)\b`,
      example: 'DROP DATABASE shop',
    },
    ...sqlRules('postgresql'),
    {
      id: 'postgresql-roles',
      action: HOLD,
      sentence: {
        en: 'Gives a role the rights of an administrator.',
        zh: '授予角色管理员权限。',
      },
      content: String.raw`${SQL}(?:(?:create|alter) (?:role|user|group)\b.*\b(?:superuser|createrole|bypassrls|replication|pg_\w+)\b|grant (?:all\b|(?:[^ ,]+ ?, ?)*"?pg_\w+)|alter default privileges\b.*\bgrant all\b)`,
      example: 'ALTER ROLE app SUPERUSER',
    },
    {
      id: 'postgresql-drop-role',
      action: CONFIRM,
      sentence: { en: 'Removes a role, or what it owns.', zh: '删除角色或转移其对象。' },
      content: String.raw`${SQL}(?:drop (?:role|user|group)|reassign owned)\b`,
      example: 'DROP ROLE app',
    },
    {
      id: 'postgresql-other-role',
      action: HOLD,
      sentence: {
        en: 'Continues with the rights of another role.',
        zh: '切换为其他角色的权限。',
      },
      content: String.raw`(?i)(?:^set (?:session |local )?(?:session authorization|session_authorization|role)\b|^alter (?:role|user|database|function|procedure|routine)\b.*\bset (?:role|session_authorization)\b|\bset_config\b.*\b(?:role|session_authorization)\b|^update (?:only )?(?:pg_catalog ?\. ?)?pg_settings\b)`,
      example: 'SET ROLE owner',
    },
    {
      id: 'postgresql-programs',
      action: DENY,
      sentence: {
        en: 'Runs programs or reads files on the database server.',
        zh: '在数据库服务器上运行程序或读取文件。',
      },
      content: String.raw`(?i)(?:^copy\b.*\bprogram\b|\b(?:pg_read_\w*file\w*|pg_ls_\w*dir|pg_stat_file|pg_file_\w+|pg_(?:hba_file_rules|ident_file_mappings)|lo_import|lo_export)\b|^(?:create|alter) (?:foreign table|server)\b.*\b(?:program|filename)\b)`,
      example: "COPY t FROM PROGRAM 'id'",
    },
    {
      id: 'postgresql-server-files',
      action: HOLD,
      sentence: {
        en: 'Reads or writes a file of the database server.',
        zh: '读写数据库服务器上的文件。',
      },
      content: String.raw`${SQL}copy\b.* (?:from|to) ?${QUOTE}`,
      example: "COPY t TO '/tmp/t.csv'",
    },
    {
      id: 'postgresql-dynamic',
      action: DENY,
      sentence: {
        en: 'Puts statements together that no rule can read.',
        zh: '动态拼接语句，规则无法检查。',
      },
      content: String.raw`${SQL}(?:do|execute|prepare|call)\b`,
      example: 'DO $$ BEGIN EXECUTE q; END $$',
    },
    {
      id: 'postgresql-terminate',
      action: CONFIRM,
      sentence: {
        en: 'Ends statements or connections of others.',
        zh: '终止其他人的语句或连接。',
      },
      content: String.raw`(?i)\bpg_(?:terminate|cancel)_backend\b`,
      example: 'SELECT pg_terminate_backend(42)',
    },
    {
      id: 'postgresql-settings',
      action: HOLD,
      sentence: {
        en: 'Changes settings of the whole server.',
        zh: '修改整个服务器的设置。',
      },
      content: String.raw`(?i)(?:^alter (?:system|database|(?:role|user) all)\b.*\b(?:re)?set\b|\bpg_(?:reload_conf|rotate_logfile|switch_wal|promote|create_restore_point|wal_replay_(?:pause|resume))\b)`,
      example: "ALTER SYSTEM SET fsync = 'off'",
    },
    {
      id: 'postgresql-locks',
      action: WARN,
      sentence: {
        en: 'Locks tables; others wait until it has finished.',
        zh: '锁定表，其他人须等待其完成。',
      },
      content: String.raw`${SQL}(?:vacuum ?(?:\([^)]*)?\bfull\b|cluster\b|lock\b|reindex ?(?:\([^)]*\) ?)?(?:table|schema|database|system|index) (?:[^c]|c[^o]|c?o?$|concurrently\w)|refresh materialized view (?:[^c]|c[^o]))`,
      example: 'VACUUM FULL orders',
    },
    {
      id: 'postgresql-code',
      action: HOLD,
      sentence: {
        en: 'Installs code that runs outside of the rights of SQL.',
        zh: '安装不受 SQL 权限限制的代码。',
      },
      content: String.raw`${SQL}(?:(?:create|alter) extension\b|load\b|create (?:or replace )?(?:trusted )?(?:procedural )?language\b|create (?:or replace )?(?:function|procedure)\b.*\blanguage ['"]?(?:c|internal|\w+u)\b|do\b.*\blanguage ['"]?\w+u\b)`,
      example: 'CREATE EXTENSION dblink',
    },
    {
      id: 'postgresql-protection',
      action: HOLD,
      sentence: {
        en: 'Turns off triggers, constraints or row security.',
        zh: '关闭触发器、约束或行级安全。',
      },
      content: String.raw`(?i)(?:^alter (?:foreign )?table\b.*\b(?:disable|no force|enable (?:replica|always)|drop constraint)\b|^alter domain\b.*\bdrop constraint\b|^alter event trigger\b.*\bdisable\b|\bsession_replication_role\b|^drop (?:event )?(?:trigger|rule)\b|^(?:drop|alter) policy\b)`,
      example: 'ALTER TABLE orders DISABLE TRIGGER ALL',
    },
  ],
};
