import { greeting, red, type Script, shellPrompt, stamp, yellow } from '../script.ts';

/** Searches and counts Chinese business logs. */
export const orderLogs: Script = {
  hosts: ['sh-order'],
  groups: ['业务研发'],
  account: '只读 readonly',
  play(terminal, stage) {
    const { random } = terminal;
    const order = `SO${stamp(stage.startedAt).slice(0, 10).replaceAll('-', '')}${random.between(100_000, 999_999)}`;
    const line = (seconds: number, level: string, text: string) =>
      `${stamp(stage.startedAt, seconds)} ${level} [订单${order}] ${text}`;
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.setPrompt(shellPrompt(stage, '/data/logs'));
    terminal.run('cd /data/logs');
    terminal.run(
      'ls -lh --time-style=long-iso order*.log',
      [
        '-rw-r----- 1 app app 1.3G order-2.log',
        '-rw-r----- 1 app app 2.1G order-1.log',
        '-rw-r----- 1 app app 412M order.log',
      ].join('\n'),
    );
    terminal.run(
      `grep -a ${order} order.log | head`,
      [
        line(-900, 'INFO ', '创建成功，金额 ¥1,299.00'),
        line(-880, 'INFO ', '锁定库存：仓库=嘉定一号仓，数量=1'),
        line(-840, yellow('WARN '), '支付回调延迟 12s，重试第 1 次'),
        line(-820, yellow('WARN '), '支付回调延迟 24s，重试第 2 次'),
        line(-790, red('ERROR'), '支付超时，释放库存'),
        line(-789, 'INFO ', '状态变更：待支付 → 已取消'),
      ].join('\n'),
      { think: 2.1 },
    );
    terminal.run(`grep -ac '支付超时' order.log`, String(random.between(20, 400)), { think: 1.7 });
    terminal.run(
      `grep -a '支付超时' order.log | awk '{print substr($2,1,5)}' | sort | uniq -c | tail -5`,
      Array.from(
        { length: 5 },
        (_, index) =>
          `${String(random.between(2, 80)).padStart(7)} ${stamp(stage.startedAt, (index - 6) * 60).slice(11, 16)}`,
      ).join('\n'),
      { think: 1.9 },
    );
    terminal.run(
      `grep -a '支付超时' order.log | grep -o '渠道=[^ ,]*' | sort | uniq -c | sort -rn`,
      [
        `${String(random.between(150, 300)).padStart(7)} 渠道=银联`,
        `${String(random.between(10, 40)).padStart(7)} 渠道=支付宝`,
        `${String(random.between(1, 9)).padStart(7)} 渠道=微信`,
      ].join('\n'),
      { think: 1.6 },
    );
    terminal.run('cat /etc/shadow', 'cat: /etc/shadow: Permission denied');
    terminal.leave('exit', 'logout\r\n');
  },
};
