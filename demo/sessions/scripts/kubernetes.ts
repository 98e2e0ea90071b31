import { cyan, green, greeting, red, type Script, shellPrompt, yellow } from '../script.ts';

/** Finds a crashing pod, reads its logs, and rolls back. */
export const kubernetes: Script = {
  hosts: ['or-k8s'],
  groups: ['Data Platform', 'Europe SRE'],
  account: '运维 ops',
  play(terminal, stage) {
    const { random } = terminal;
    const hash = random.uuid().slice(0, 9);
    const pod = `billing-api-${hash}-x2k9p`;
    terminal.greet(greeting(stage), shellPrompt(stage));
    terminal.run(
      'kubectl get nodes',
      [
        'NAME        STATUS   ROLES           AGE    VERSION',
        ...['or-k8s-01', 'or-k8s-02', 'or-k8s-03', 'or-k8s-04'].map(
          (name, index) =>
            `${name}   Ready    ${index === 0 ? 'control-plane' : '<none>       '}   211d   v1.34.1`,
        ),
      ].join('\n'),
      { think: 0.5 },
    );
    terminal.run(
      'kubectl -n billing get pods',
      [
        'NAME                               READY   STATUS             RESTARTS       AGE',
        `${pod}        0/1     ${red('CrashLoopBackOff')}   ${random.between(5, 19)} (42s ago)    21m`,
        `billing-worker-6d4f8b9c7-lq8wz     1/1     ${green('Running')}            0              3d4h`,
        `billing-worker-6d4f8b9c7-vtz5m     1/1     ${green('Running')}            0              3d4h`,
      ].join('\n'),
      { think: 0.4 },
    );
    terminal.run(
      `kubectl -n billing logs ${pod} --tail=5`,
      [
        `${cyan('INFO')}  starting billing-api 3.18.0`,
        `${cyan('INFO')}  reading configuration from /etc/billing`,
        `${yellow('WARN')}  TAX_TABLE_URL is not set, trying the default`,
        `${red('ERROR')} cannot resolve tax-tables.internal: NXDOMAIN`,
        `${red('FATAL')} exiting`,
      ].join('\n'),
      { think: 0.6 },
    );
    terminal.run(
      'kubectl -n billing rollout history deployment/billing-api',
      [
        'deployment.apps/billing-api',
        'REVISION  CHANGE-CAUSE',
        '41        release 3.17.2',
        '42        release 3.18.0',
      ].join('\n'),
    );
    terminal.wait(8);
    terminal.run(
      'kubectl -n billing rollout undo deployment/billing-api --to-revision=41',
      'deployment.apps/billing-api rolled back',
    );
    terminal.run(
      'kubectl -n billing rollout status deployment/billing-api',
      [
        'Waiting for deployment "billing-api" rollout to finish: 0 of 1 updated replicas are available...',
        'deployment "billing-api" successfully rolled out',
      ].join('\n'),
      { think: 1, line: 6 },
    );
    if (random.oneIn(2)) terminal.resize(110, 32);
    terminal.run(
      'kubectl -n billing get pods',
      [
        'NAME                               READY   STATUS    RESTARTS   AGE',
        `billing-api-7c5d9f8b6-m4hnq        1/1     ${green('Running')}   0          14s`,
        `billing-worker-6d4f8b9c7-lq8wz     1/1     ${green('Running')}   0          3d4h`,
        `billing-worker-6d4f8b9c7-vtz5m     1/1     ${green('Running')}   0          3d4h`,
      ].join('\n'),
    );
    terminal.leave('exit', 'logout\r\n');
  },
};
