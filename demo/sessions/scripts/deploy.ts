import { bold, cyan, green, greeting, type Script, shellPrompt, yellow } from '../script.ts';

/** Pulls and deploys a release with containers, with progress bars and Chinese messages. */
export const deploy: Script = {
  hosts: ['sh-order'],
  groups: ['业务研发'],
  account: '发布 deploy',
  play(terminal, stage) {
    const { random } = terminal;
    const version = `2026.${random.between(40, 46)}.${random.between(0, 9)}`;
    const commit = random.uuid().slice(0, 7);
    const image = `registry.example.com/order-service:${version}`;
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.setPrompt(shellPrompt(stage, '/srv/order-service'));
    terminal.run('cd /srv/order-service');
    terminal.run(
      'git pull --ff-only',
      [
        'remote: Enumerating objects: 42, done.',
        'remote: Total 23 (delta 17), reused 20 (delta 14)',
        'From ssh://git.example.com/shop/order-service',
        `   9be11f2..${commit}  main       -> origin/main`,
        `Updating 9be11f2..${commit}`,
        'Fast-forward',
        ` src/checkout/coupon.ts | 31 ${green('++++++++++++++++')}\x1b[31m----\x1b[0m`,
        ' 1 file changed, 24 insertions(+), 7 deletions(-)',
      ].join('\n'),
      { think: 1.1, line: 0.12 },
    );
    terminal.run(
      'git log --oneline --color=always -3',
      [
        `${yellow(commit)} (${cyan('HEAD -> ')}${green('main')}) 修复：优惠券叠加时金额为负`,
        `${yellow('9be11f2')} 订单导出支持按门店筛选`,
        `${yellow('77c0a4d')} chore: bump base image`,
      ].join('\n'),
    );
    terminal.runProgram(
      `docker pull ${image}`,
      () => {
        terminal.printLines(
          `${version}: Pulling from order-service\n3c9f41a2b7d0: Already exists`,
          0.2,
        );
        for (let percent = 0; percent <= 100; percent += random.between(4, 9)) {
          const done = Math.round(percent / 2.5);
          terminal.print(
            `\r8d21e0b94c17: Downloading [${'='.repeat(done)}>${' '.repeat(40 - done)}] ${String(percent).padStart(3)}%`,
          );
          terminal.wait(0.18);
        }
        terminal.print(`\r\x1b[K8d21e0b94c17: ${green('Pull complete')}\r\n`);
        terminal.printLines(`Status: Downloaded newer image for ${image}`);
      },
      `${version}: Pulling from order-service\n8d21e0b94c17: Pull complete\nStatus: Downloaded newer image for ${image}`,
    );
    terminal.run(
      `TAG=${version} ./deploy.sh --rolling`,
      [
        bold('▶ 滚动发布 order-service'),
        `  检查依赖 ………… ${green('通过')}`,
        `  预热实例 1/3 …… ${green('健康')}`,
        `  切换流量 1/3 …… ${green('完成')}`,
        `  预热实例 2/3 …… ${green('健康')}`,
        `  切换流量 2/3 …… ${green('完成')}`,
        `  预热实例 3/3 …… ${green('健康')}`,
        `  切换流量 3/3 …… ${green('完成')}`,
        bold(`✔ 发布成功：${version}`),
      ].join('\n'),
      { think: 0.8, line: 2.1 },
    );
    terminal.run(
      'docker ps --format "table {{.Names}}\\t{{.Status}}"',
      [
        'NAMES             STATUS',
        'order-service-1   Up 14 seconds (healthy)',
        'order-service-2   Up 9 seconds (healthy)',
        'order-service-3   Up 5 seconds (healthy)',
      ].join('\n'),
    );
    terminal.run(
      'curl -s localhost:8080/version',
      `{"service":"order-service","version":"${version}","commit":"${commit}"}`,
    );
    terminal.leave('exit', 'logout\r\n');
  },
};
