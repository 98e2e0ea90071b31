import {
  RULE_CONFIRM as CONFIRM,
  RULE_HOLD as HOLD,
  RULE_WARN as WARN,
} from '../resources/assets/command-filter-rule.ts';
import { DENY, type LibraryGroup } from './library-rule.ts';

/**
 * The position of a command in a line: at its beginning, after an operator, or after a program that
 * runs other commands. A path may precede the name.
 */
const RUN = String.raw`(?:^|[;&|({\x60]|\b(?:sudo|doas|env|exec|nice|nohup|time|xargs|then|do|else)\s(?:\s*-\S+(?:\s+\w+\s)??)*)\s*(?:/\S*/)?`;
/** Options and arguments of the same command. */
const ARGUMENTS = String.raw`\s(?:[^;&|]*\s)?`;
const RECURSIVE = '(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)';
const DISK = '/dev/(?:[shv]d[a-z]|xvd|nvme|mmcblk|md|dm-|mapper/|disk/)';
/** The root, a folder of the system, or everything directly in one. */
const SYSTEM = String.raw`\s(?:/|~|\$HOME|/(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var))/?\*?(?:\s|$|[;&|])`;
const END = String.raw`(?:\s|$|[;&|])`;

export const linux: LibraryGroup = {
  name: 'linux',
  title: { en: 'Linux', zh: 'Linux' },
  rules: [
    {
      id: 'rm-system',
      action: DENY,
      sentence: {
        en: 'Deletes a folder of the operating system.',
        zh: '删除操作系统目录。',
      },
      content: `${RUN}rm${ARGUMENTS}${RECURSIVE}(?:\\s+-\\S+)*${SYSTEM}`,
      example: 'rm -rf /etc',
    },
    {
      id: 'rm-recursive',
      action: CONFIRM,
      sentence: {
        en: 'Deletes a folder and everything in it.',
        zh: '删除目录及其全部内容。',
      },
      content: `${RUN}rm${ARGUMENTS}${RECURSIVE}${END}`,
      example: 'rm -rf /srv/data',
    },
    {
      id: 'find-delete',
      action: CONFIRM,
      sentence: { en: 'Deletes every file that is found.', zh: '删除查找到的所有文件。' },
      content: String.raw`${RUN}find${ARGUMENTS}(?:-delete\b|-exec(?:dir)?\s+(?:\S*/)?rm\s)`,
      example: 'find /srv -name "*.log" -delete',
    },
    {
      id: 'rsync-delete',
      action: WARN,
      sentence: {
        en: 'Deletes files at the destination that the source lacks.',
        zh: '删除目标中源端没有的文件。',
      },
      content: String.raw`${RUN}rsync${ARGUMENTS}--del(?:ete\S*)?${END}`,
      example: 'rsync -a --delete /srv/ backup:/srv/',
    },
    {
      id: 'make-file-system',
      action: DENY,
      sentence: { en: 'Erases a disk or a partition.', zh: '清空磁盘或分区。' },
      content: String.raw`${RUN}(?:mkfs(?:\.\w+)?|mke2fs|mkswap|wipefs|blkdiscard|shred)${ARGUMENTS}/dev/`,
      example: 'mkfs.ext4 /dev/sdb1',
    },
    {
      id: 'write-disk',
      action: DENY,
      sentence: { en: 'Writes directly to a disk.', zh: '直接写入磁盘。' },
      content: String.raw`(?:\bdd\s[^;&|]*\bof=|>\s*|\btee\s+(?:-\S+\s+)*)${DISK}`,
      example: 'dd if=image of=/dev/sda',
    },
    {
      id: 'partition',
      action: CONFIRM,
      sentence: { en: 'Changes the partitions of a disk.', zh: '修改磁盘分区。' },
      content: String.raw`${RUN}(?:(?:cfdisk|fdisk|gdisk|parted|sfdisk)\s+(?:(?:-s|--script)\s+)?/dev/|sgdisk${ARGUMENTS}(?:-[doZ]|--clear|--delete|--zap))`,
      example: 'fdisk /dev/sda',
    },
    {
      id: 'remove-volume',
      action: CONFIRM,
      sentence: { en: 'Removes a volume or a disk array.', zh: '删除卷或磁盘阵列。' },
      content: String.raw`${RUN}(?:(?:lv|vg|pv)remove|(?:zpool|zfs)\s+destroy|mdadm${ARGUMENTS}(?:-S|--stop|--zero-superblock))${END}`,
      example: 'lvremove vg0/data',
    },
    {
      id: 'power',
      action: CONFIRM,
      sentence: { en: 'Stops or restarts the server.', zh: '关闭或重启服务器。' },
      content: String.raw`${RUN}(?:(?:reboot|halt|poweroff)${END}|shutdown(?:\s*$|\s+(?:-[hHPrk]|--(?:halt|poweroff|reboot)|now|\+?\d))|(?:tel)?init\s+[06]${END}|systemctl${ARGUMENTS}(?:reboot|poweroff|halt|kexec|rescue|emergency)${END})`,
      example: 'sudo reboot',
    },
    {
      id: 'kill-all',
      action: CONFIRM,
      sentence: { en: 'Ends every process.', zh: '结束所有进程。' },
      content: String.raw`${RUN}(?:kill\s+(?:-\w+\s+(?:--\s+)?|--\s+)-1|killall5)${END}`,
      example: 'kill -9 -1',
    },
    {
      id: 'fork-bomb',
      action: DENY,
      sentence: { en: 'Starts processes without end.', zh: '无限创建进程（fork 炸弹）。' },
      content: String.raw`[\w:]+\s*\(\s*\)\s*\{\s*[\w:]+\s*\|\s*[\w:]+\s*&\s*\}`,
      example: ':(){ :|:& };:',
    },
    {
      id: 'permissions-system',
      action: DENY,
      sentence: {
        en: 'Changes the permissions of a folder of the operating system.',
        zh: '修改操作系统目录的权限。',
      },
      content: `${RUN}(?:chmod|chown|chgrp)${ARGUMENTS}${RECURSIVE}\\s[^;&|]*${SYSTEM}`,
      example: 'chmod -R 755 /usr',
    },
    {
      id: 'world-writable',
      action: WARN,
      sentence: { en: 'Lets every user write to the file.', zh: '允许所有用户写入该文件。' },
      content: String.raw`${RUN}chmod${ARGUMENTS}(?:[0-7]?[0-7]{2}[2367]|[ugoa]*[oa][ugoa]*\+[rxst]*w[rwxst]*)${END}`,
      example: 'chmod 777 upload',
    },
    {
      id: 'accounts-file',
      action: DENY,
      sentence: {
        en: 'Writes to the files of accounts and of sudo.',
        zh: '写入账号文件或 sudo 配置。',
      },
      content: String.raw`(?:>\s*|\btee\s+(?:-\S+\s+)*|\bsed\s[^;&|]*-i[^;&|]*\s)/etc/(?:passwd|shadow|gshadow|group|sudoers)`,
      example: 'echo "x ALL=(ALL) ALL" >> /etc/sudoers',
    },
    {
      id: 'delete-account',
      action: CONFIRM,
      sentence: { en: 'Deletes an account or a group.', zh: '删除账号或用户组。' },
      content: String.raw`${RUN}(?:userdel|deluser|groupdel|delgroup)\s`,
      example: 'userdel -r alice',
    },
    {
      id: 'firewall-off',
      action: CONFIRM,
      sentence: { en: 'Turns the firewall off.', zh: '关闭防火墙。' },
      content: String.raw`${RUN}(?:ip6?tables${ARGUMENTS}(?:-F|--flush|-X)|nft\s+flush\s+ruleset|ufw\s+(?:--force\s+)?(?:disable|reset)|systemctl${ARGUMENTS}(?:stop|disable|mask)\s[^;&|]*(?:firewalld|iptables|nftables|ufw))`,
      example: 'iptables -F',
    },
    {
      id: 'network-off',
      action: CONFIRM,
      sentence: {
        en: 'Can cut the network, and with it this session.',
        zh: '可能中断网络和当前会话。',
      },
      content: String.raw`${RUN}(?:ifdown\s|ifconfig\s+\S+\s+down\b|ip\s+(?:-\S+\s+)*link\s+set\s+(?:dev\s+)?\S+\s+down\b|nmcli\s+(?:c\w*|d\w*)\s+(?:down|disconnect)\b|(?:systemctl${ARGUMENTS}(?:stop|restart|disable|mask)\s[^;&|]*(?:network\w*|NetworkManager|systemd-networkd|sshd?)(?:\.service)?|service\s+(?:network\w*|sshd?)\s+(?:stop|restart))${END})`,
      example: 'systemctl stop sshd',
    },
    {
      id: 'default-route',
      action: CONFIRM,
      sentence: { en: 'Removes routes of the server.', zh: '删除服务器的路由。' },
      content: String.raw`${RUN}(?:ip\s+(?:-\S+\s+)*r(?:o(?:ute)?)?\s+(?:del(?:ete)?|flush)|route\s+del)\s`,
      example: 'ip route del default',
    },
    {
      id: 'crontab-remove',
      action: CONFIRM,
      sentence: {
        en: 'Removes every scheduled job of the account.',
        zh: '删除账号的所有计划任务。',
      },
      content: String.raw`${RUN}crontab\s+(?:-u\s*\S+\s+)?-i?r`,
      example: 'crontab -r',
    },
    {
      id: 'download-run',
      action: WARN,
      sentence: {
        en: 'Runs a downloaded script that no one has read.',
        zh: '直接执行下载的脚本，未经检查。',
      },
      content: String.raw`\b(?:curl|wget)\s[^;]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?(?:ba|z|k|da|fi)?sh\b`,
      example: 'curl -s https://example.org/install | sudo bash',
    },
    {
      id: 'remove-traces',
      action: HOLD,
      sentence: {
        en: 'Removes the history or the logs of the system.',
        zh: '清除命令历史或系统日志。',
      },
      content: String.raw`${RUN}(?:history\s+-\w*[cd]|unset\s+HIST\w*|journalctl${ARGUMENTS}--vacuum-\w+)|\bHISTFILE=\s*(?:/dev/null|$|;)|>\s*(?:/var/log/|\S*/?\.\w*_history)|${RUN}(?:rm|shred|truncate)${ARGUMENTS}(?:/var/log/|\S*\.\w*_history)`,
      example: 'history -c',
    },
    {
      id: 'protection-off',
      action: HOLD,
      sentence: { en: 'Turns off a protection of the system.', zh: '关闭系统的安全防护。' },
      content: String.raw`${RUN}(?:setenforce\s+(?:0|[Pp]ermissive)|auditctl${ARGUMENTS}(?:-e\s*0|-D)|aa-(?:disable|teardown)|systemctl${ARGUMENTS}(?:stop|disable|mask)\s[^;&|]*(?:auditd|apparmor|fail2ban|r?syslog\w*))${END}`,
      example: 'setenforce 0',
    },
    {
      id: 'remove-packages',
      action: WARN,
      sentence: { en: 'Removes software from the server.', zh: '卸载服务器上的软件。' },
      content: String.raw`${RUN}(?:(?:apt(?:-get)?|aptitude)${ARGUMENTS}(?:remove|purge|autoremove)|(?:yum|dnf|microdnf|zypper)${ARGUMENTS}(?:remove|erase|autoremove|rm)|rpm\s+(?:-e|--erase)|dpkg\s+(?:-[rP]|--remove|--purge))${END}`,
      example: 'apt-get -y purge nginx',
    },
    {
      id: 'containers-prune',
      action: CONFIRM,
      sentence: {
        en: 'Deletes containers, images or volumes that look unused.',
        zh: '删除看似未使用的容器、镜像或卷。',
      },
      content: String.raw`${RUN}(?:docker|podman)\s+(?:\w+\s+prune|volume\s+rm|rm\s[^;&|]*\$\()`,
      example: 'docker system prune -af',
    },
    {
      id: 'kubernetes-delete',
      action: CONFIRM,
      sentence: { en: 'Deletes objects of a cluster.', zh: '删除集群中的对象。' },
      content: String.raw`${RUN}(?:(?:kubectl|oc)${ARGUMENTS}(?:delete|drain)|helm${ARGUMENTS}(?:uninstall|delete))\s`,
      example: 'kubectl delete namespace shop',
    },
  ],
};
