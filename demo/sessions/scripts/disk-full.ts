import { greeting, red, type Script, shellPrompt, stamp } from '../script.ts';

/** Finds and removes old logs on a nearly full disk. */
export const diskFull: Script = {
  hosts: ['sh-order'],
  groups: ['平台运维'],
  account: '运维 ops',
  play(terminal, stage) {
    const { random } = terminal;
    const used = random.between(93, 99);
    const table = (percent: number) =>
      [
        '文件系统        容量  已用  可用 已用% 挂载点',
        '/dev/sda3        50G   21G   30G   42% /',
        `/dev/sdb1       916G  ${Math.round(9.16 * percent)}G   ${Math.round(9.16 * (100 - percent))}G   ${percent}% /data`,
        'tmpfs            32G  1.2M   32G    1% /run',
      ].join('\n');
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.run('df -h', table(used));
    terminal.setPrompt(shellPrompt(stage, '/data'));
    terminal.run(
      'cd /data && sudo du -xh --max-depth=1 . | sort -rh | head -6',
      [
        '858G\t.',
        '611G\t./logs',
        '182G\t./app',
        '49G\t./backup',
        '16G\t./tmp',
        '4.0K\t./lost+found',
      ].join('\n'),
      { think: 5.5, line: 0.02 },
    );
    terminal.run(
      'sudo du -sh logs/* | sort -rh | head -4',
      ['402G\tlogs/order-service', '151G\tlogs/gateway', '47G\tlogs/audit', '11G\tlogs/nginx'].join(
        '\n',
      ),
      { think: 2.8 },
    );
    terminal.run(
      `sudo find logs/order-service -name '*.log.gz' -mtime +30 | wc -l`,
      String(random.between(800, 2400)),
      { think: 1.2 },
    );
    terminal.run(
      `sudo find logs/order-service -name '*.log.gz' -mtime +30 -printf '%s\\n' | awk '{s+=$1} END {printf "%.1f GiB\\n", s/2^30}'`,
      `${random.between(180, 330)}.4 GiB`,
      { think: 1.1 },
    );
    terminal.wait(6);
    terminal.run(`sudo find logs/order-service -name '*.log.gz' -mtime +30 -delete`, '', {
      think: 4.6,
    });
    terminal.run(
      'df -h /data',
      [
        '文件系统        容量  已用  可用 已用% 挂载点',
        `/dev/sdb1       916G  ${Math.round(9.16 * (used - 31))}G  ${Math.round(9.16 * (131 - used))}G   ${used - 31}% /data`,
      ].join('\n'),
    );
    terminal.run(
      'journalctl --disk-usage',
      'Archived and active journals take up 3.9G in the file system.',
    );
    terminal.run(
      'sudo journalctl --vacuum-time=14d',
      [
        'Deleted archived journal /var/log/journal/3f1c/system@0006.journal (128.0M).',
        'Deleted archived journal /var/log/journal/3f1c/system@0007.journal (128.0M).',
        'Vacuuming done, freed 2.6G of archived journals from /var/log/journal/3f1c.',
      ].join('\n'),
      { think: 1.3, line: 0.2 },
    );
    terminal.run(
      'tail -2 /var/log/messages',
      [
        `${stamp(stage.startedAt, -30)} ${stage.hostname} kernel: EXT4-fs (sdb1): ${red('warning')}: reserved blocks in use`,
        `${stamp(stage.startedAt, 80)} ${stage.hostname} systemd[1]: Started logrotate.service.`,
      ].join('\n'),
    );
    terminal.leave('logout', '');
  },
};
