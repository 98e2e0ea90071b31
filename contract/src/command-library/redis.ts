import {
  RULE_CONFIRM as CONFIRM,
  RULE_HOLD as HOLD,
  RULE_WARN as WARN,
} from '../resources/assets/command-filter-rule.ts';
import { DENY, type LibraryGroup } from './library-rule.ts';

export const redis: LibraryGroup = {
  name: 'redis',
  title: { en: 'Redis', zh: 'Redis' },
  rules: [
    {
      id: 'redis-flush',
      action: HOLD,
      sentence: { en: 'Deletes every key.', zh: '删除所有键。' },
      content: String.raw`(?i)^flush(?:all|db)\b`,
      example: 'FLUSHALL',
    },
    {
      id: 'redis-stop',
      action: DENY,
      sentence: { en: 'Stops or crashes the server.', zh: '停止服务器或使其崩溃。' },
      content: String.raw`(?i)^(?:shutdown|debug)\b`,
      example: 'SHUTDOWN NOSAVE',
    },
    {
      id: 'redis-settings',
      action: HOLD,
      sentence: {
        en: 'Changes settings of the whole server.',
        zh: '修改整个服务器的设置。',
      },
      content: String.raw`(?i)^config (?:set|rewrite|resetstat)\b`,
      example: 'CONFIG SET dir /tmp',
    },
    {
      id: 'redis-modules',
      action: DENY,
      sentence: {
        en: 'Installs code that runs inside of the server.',
        zh: '安装在服务器内部运行的代码。',
      },
      content: String.raw`(?i)^module (?:load|loadex|unload)\b`,
      example: 'MODULE LOAD /tmp/m.so',
    },
    {
      id: 'redis-scripts',
      action: HOLD,
      sentence: {
        en: 'Runs a script whose commands no rule can read.',
        zh: '运行脚本，规则无法检查其中的命令。',
      },
      content: String.raw`(?i)^(?:eval|evalsha|fcall|script (?:load|flush|kill)|function (?:load|delete|flush|restore|kill))\b`,
      example: "EVAL 'return 1' 0",
    },
    {
      id: 'redis-replication',
      action: DENY,
      sentence: {
        en: 'Changes the replication or the cluster.',
        zh: '修改复制关系或集群。',
      },
      content: String.raw`(?i)^(?:slaveof|replicaof|failover|cluster (?:addslots\w*|delslots\w*|failover|flushslots|forget|meet|replicate|reset|set-config-epoch|setslot))\b`,
      example: 'REPLICAOF 192.0.2.9 6379',
    },
    {
      id: 'redis-accounts',
      action: HOLD,
      sentence: {
        en: 'Changes accounts or their passwords.',
        zh: '修改账号或其密码。',
      },
      content: String.raw`(?i)^acl (?:setuser|deluser|load|save)\b`,
      example: 'ACL DELUSER app',
    },
    {
      id: 'redis-keys',
      action: WARN,
      sentence: {
        en: 'Reads every key; other clients wait. SCAN does not block.',
        zh: '会阻塞其他客户端，请改用 SCAN。',
      },
      content: String.raw`(?i)^keys\b`,
      example: 'KEYS *',
    },
    {
      id: 'redis-monitor',
      action: WARN,
      sentence: {
        en: 'Shows the commands of all clients and slows the server.',
        zh: '显示所有客户端的命令，并降低性能。',
      },
      content: String.raw`(?i)^monitor\b`,
      example: 'MONITOR',
    },
    {
      id: 'redis-save',
      action: WARN,
      sentence: {
        en: 'Blocks all clients while it saves. BGSAVE does not.',
        zh: '保存时阻塞所有客户端，请改用 BGSAVE。',
      },
      content: String.raw`(?i)^save\b`,
      example: 'SAVE',
    },
    {
      id: 'redis-clients',
      action: CONFIRM,
      sentence: { en: 'Ends or pauses other clients.', zh: '断开或暂停其他客户端。' },
      content: String.raw`(?i)^client (?:kill|pause|no-evict)\b`,
      example: 'CLIENT KILL TYPE normal',
    },
    {
      id: 'redis-databases',
      action: CONFIRM,
      sentence: {
        en: 'Moves keys to another server or database.',
        zh: '将键移动到其他服务器或数据库。',
      },
      content: String.raw`(?i)^(?:swapdb|migrate|move)\b`,
      example: 'SWAPDB 0 1',
    },
  ],
};
