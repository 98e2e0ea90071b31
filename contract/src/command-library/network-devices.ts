import {
  RULE_CONFIRM as CONFIRM,
  RULE_HOLD as HOLD,
  RULE_WARN as WARN,
} from '../resources/assets/command-filter-rule.ts';
import { DENY, type LibraryGroup } from './library-rule.ts';

/** Devices accept commands in any case; `do` runs one from the configuration mode. */
const RUN = String.raw`(?i)^\s*(?:do\s+)?`;

/** Rules for the command lines of Cisco (IOS, NX-OS), Huawei (VRP) and H3C (Comware) devices. */
export const networkDevices: LibraryGroup = {
  name: 'network',
  title: {
    en: 'Network devices (Cisco, Huawei, H3C)',
    zh: '网络设备（思科、华为、H3C）',
  },
  rules: [
    {
      id: 'restart-device',
      action: CONFIRM,
      sentence: { en: 'Restarts the device.', zh: '重启设备。' },
      content: String.raw`${RUN}(?:rel(?:o(?:ad?)?)?(?:\s*$|\s+(?:in|at|reason|slot|module|location|all|force)\b|\s*/)|(?:schedule\s+)?reb(?:o(?:ot?)?)?(?:\s|$))`,
      example: 'reload',
    },
    {
      id: 'erase-configuration',
      action: DENY,
      sentence: { en: 'Erases the stored configuration.', zh: '清除已保存的配置。' },
      content: String.raw`${RUN}(?:wr(?:i(?:te?)?)?\s+er|er(?:a(?:se?)?)?\s+(?:st|nv)|del(?:e(?:te?)?)?\s+(?:/\S+\s+)*nvram:|reset\s+sav|(?:reset\s+)?factory-conf|restore\s+fact)`,
      example: 'write erase',
    },
    {
      id: 'format-storage',
      action: DENY,
      sentence: { en: 'Erases a storage of the device.', zh: '格式化设备存储。' },
      content: String.raw`${RUN}(?:format\s+\S+:|er(?:a(?:se?)?)?\s+\S*flash\S*:)`,
      example: 'format flash:',
    },
    {
      id: 'delete-files',
      action: CONFIRM,
      sentence: {
        en: 'Deletes files, such as the image that the device starts.',
        zh: '删除文件，可能包括设备的启动镜像。',
      },
      content: String.raw`${RUN}(?:del(?:e(?:te?)?)?\s+(?:/\S+\s+|\S*(?:flash|disk|slot|cfcard|usb)\S*:|\S+\.(?:bin|cc|ipe|tar)\b)|reset\s+recycle)`,
      example: 'delete /force flash:old.bin',
    },
    {
      id: 'replace-configuration',
      action: HOLD,
      sentence: {
        en: 'Replaces the running configuration as a whole.',
        zh: '整体替换运行配置。',
      },
      content: String.raw`${RUN}(?:conf(?:i(?:g(?:u(?:re?)?)?)?)?\s+rep|rollback\s+(?:configuration|running)|configuration\s+replace)`,
      example: 'configure replace flash:old-config',
    },
    {
      id: 'interface-down',
      action: WARN,
      sentence: { en: 'Turns the interface off.', zh: '关闭接口。' },
      content: String.raw`${RUN}shut(?:d(?:o(?:wn?)?)?)?\s*$`,
      example: 'shutdown',
    },
    {
      id: 'interface-default',
      action: CONFIRM,
      sentence: {
        en: 'Resets the configuration of an interface.',
        zh: '将接口恢复为默认配置。',
      },
      content: String.raw`${RUN}(?:default\s+int|default\s*$|clear\s+configuration\s+(?:int|this))`,
      example: 'default interface GigabitEthernet0/1',
    },
    {
      id: 'trunk-vlans',
      action: CONFIRM,
      sentence: {
        en: 'Removes VLANs from a trunk; add “add” to keep the others.',
        zh: '会移除中继上的 VLAN；如需保留，请使用 add。',
      },
      content: String.raw`${RUN}(?:sw\w*\s+tr\w*\s+al\w*\s+vl\w*\s+(?:\d|none|remove|except)|no\s+sw\w*\s+tr\w*\s+al|undo\s+port\s+trunk\s+(?:allow-pass|permit))`,
      example: 'switchport trunk allowed vlan 20',
    },
    {
      id: 'remove-vlan',
      action: CONFIRM,
      sentence: { en: 'Removes a VLAN.', zh: '删除 VLAN。' },
      content: String.raw`${RUN}(?:no|undo)\s+vlan\s+(?:batch\s+)?(?:\d|all)`,
      example: 'no vlan 20',
    },
    {
      id: 'remove-address',
      action: WARN,
      sentence: {
        en: 'Removes an address; it may be the one of this session.',
        zh: '删除地址，可能中断当前会话。',
      },
      content: String.raw`${RUN}(?:no|undo)\s+ip(?:v6)?\s+add`,
      example: 'no ip address',
    },
    {
      id: 'remove-routing',
      action: HOLD,
      sentence: {
        en: 'Removes a routing protocol and its configuration.',
        zh: '删除路由协议及其配置。',
      },
      content: String.raw`${RUN}(?:no\s+router\s|undo\s+(?:bgp|ospf(?:v3)?|isis|rip(?:ng)?)(?:\s+\d|\s*$))`,
      example: 'no router bgp 65001',
    },
    {
      id: 'remove-default-route',
      action: CONFIRM,
      sentence: { en: 'Removes the default route.', zh: '删除默认路由。' },
      content: String.raw`${RUN}(?:no\s+ip(?:v6)?\s+route|undo\s+ip(?:v6)?\s+route-static)\s+(?:vrf\s+\S+\s+|vpn-instance\s+\S+\s+)?(?:0\.0\.0\.0|::/0|:: 0|all)`,
      example: 'no ip route 0.0.0.0 0.0.0.0 192.0.2.1',
    },
    {
      id: 'reset-neighbours',
      action: CONFIRM,
      sentence: {
        en: 'Restarts the sessions with all routing neighbours.',
        zh: '重置与所有路由邻居的会话。',
      },
      content: String.raw`${RUN}(?:clear\s+(?:ip\s+)?bgp\s+(?:\S+\s+)*\*\s*$|clear\s+ip\s+ospf\s+(?:\d+\s+)?process|reset\s+(?:bgp\s+all|ospf\s+(?:\d+\s+)?process|isis\s+all))`,
      example: 'clear ip bgp *',
    },
    {
      id: 'debug-all',
      action: CONFIRM,
      sentence: {
        en: 'Debugs so much that the device may stop answering.',
        zh: '调试信息过多，设备可能失去响应。',
      },
      content: String.raw`${RUN}deb(?:u(?:g(?:g(?:ing?)?)?)?)?\s+(?:all|ip\s+pac)`,
      example: 'debug all',
    },
    {
      id: 'remove-access-list',
      action: CONFIRM,
      sentence: {
        en: 'Removes an access list with all of its lines.',
        zh: '删除整个访问控制列表。',
      },
      content: String.raw`${RUN}(?:no\s+(?:ip(?:v6)?\s+)?access-list\s|undo\s+acl\s)`,
      example: 'no access-list 101',
    },
    {
      id: 'remove-sign-in',
      action: HOLD,
      sentence: {
        en: 'Removes accounts or the way to sign in to the device.',
        zh: '删除账号或设备的登录方式。',
      },
      content: String.raw`${RUN}(?:no\s+(?:username\s|aaa\s+new|enable\s+sec|ip\s+ssh|transport\s+input|feature\s+ssh|line\s+vty)|transport\s+input\s+none|undo\s+(?:aaa\s*$|local-user\s|stelnet|ssh\s+server|user-interface\s+vty))`,
      example: 'no username admin',
    },
  ],
};
