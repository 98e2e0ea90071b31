import { type ExecFileException, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltUser, buildUser, unique } from '../server/src/testing/builders.ts';
import { type KeyWithCertificate, makeSelfSigned } from '../server/src/testing/certificates.ts';
import type { Client, Json } from '../server/src/testing/client.ts';
import {
  CLUSTER_TOKEN,
  type SmallCluster,
  startSmallCluster,
} from '../server/src/testing/clusters/small-cluster.ts';
import { notePeers } from '../server/src/testing/peers.ts';
import { removeFolder } from '../server/src/testing/remove-folder.ts';
import { bearer } from '../server/src/testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../server/src/testing/test-program.ts';
import { type KubernetesApi, startKubernetesApi } from './kubernetes/api-server.ts';

/** Clients through the bastion: to a real API server, and to a small one that runs commands. */

let api: KubernetesApi;
let modern: SmallCluster;
let older: SmallCluster;
let test: TestProgram;
let admin: Client;
let own: Client;
let user: BuiltUser;
let folder = '';
/** TLS in front of the program: kubectl sends no token without it. */
let front: Server;
let frontKey: KeyWithCertificate;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-kubectl-'));
  test = await startTestProgram();
  frontKey = await makeSelfSigned('IP:127.0.0.1');
  const { hostname, port } = new URL(test.visitor.url);
  front = createServer({ key: frontKey.key, cert: frontKey.certificate }, (near) => {
    const far = connect(Number(port), hostname);
    const leave = () => {
      near.destroy();
      far.destroy();
    };
    for (const side of [near, far]) side.on('error', leave).once('close', leave);
    near.pipe(far).pipe(near);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  admin = await bearer(test);
  user = await buildUser(test.db);
  own = await bearer(test, user);
  modern = await startSmallCluster();
  older = await startSmallCluster({ refusesWebSocket: true });
  for (const { objects } of [modern, older]) {
    const place = { group: '', resource: 'pods', namespace: 'default' };
    const spec = { containers: [{ name: 'main', image: 'none' }] };
    objects.create(place, { metadata: { name: 'web' }, spec, status: { phase: 'Running' } });
  }
  api = await startKubernetesApi();
  notePeers(`kube-apiserver ${api.version}, kubectl`);
  const roles = ['create', 'clusterrolebinding', 'developers'];
  await api.kubectl(...roles, '--clusterrole=cluster-admin', '--group=developers');
}, 1_800_000);
afterAll(async () => {
  await test?.stop();
  front?.close();
  await Promise.all([api?.stop(), modern?.stop(), older?.stop()]);
  await removeFolder(folder);
});

interface Target {
  readonly port: number;
  readonly authority: string;
  readonly token?: string;
}

/** Grants a cluster to the user. Returns the path of the kubeconfig of the bastion. */
async function configFor({ port, authority, token = CLUSTER_TOKEN }: Target): Promise<string> {
  const created = async (path: string, values: Json): Promise<string> => {
    const { status, text, body } = await admin.post<Json>(path, {
      name: unique('made'),
      ...values,
    });
    expect([status, text]).toEqual([201, expect.any(String)]);
    return String(body.id);
  };
  const account = await created('assets/system-users/', {
    protocol: 'kubernetes',
    password: token,
  });
  const cluster = await created('applications/clusters/', {
    host: '127.0.0.1',
    port,
    ca_certificate: authority,
  });
  await created('perms/cluster-permissions/', {
    users: [user.id],
    clusters: [cluster],
    system_users: [account],
    namespaces: 'default',
    kube_groups: 'developers',
    verbs: ['read', 'create', 'update', 'patch', 'delete'],
    actions: ['exec', 'logs'],
  });
  const { body } = await own.post<Json>('perms/users/clusters/kubeconfig/', { cluster });
  const kubeconfig = JSON.parse(String(body.kubeconfig));
  kubeconfig.clusters[0].cluster = {
    server: `https://127.0.0.1:${(front.address() as AddressInfo).port}/k8s/${cluster}`,
    'certificate-authority-data': Buffer.from(frontKey.certificate).toString('base64'),
  };
  const config = join(folder, `${cluster}.config`);
  await writeFile(config, JSON.stringify(kubeconfig), { mode: 0o600 });
  return config;
}

/** Grants a cluster to the user. Returns kubectl with the kubeconfig of the bastion. */
async function kubectlTo(target: Target) {
  const config = await configFor(target);
  return (
    words: readonly string[],
    { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
  ) =>
    new Promise<{ code: number; output: string; errors: string }>((done) => {
      const child = execFile(
        'kubectl',
        [`--kubeconfig=${config}`, '--cache-dir', `${config}.cache`, ...words],
        { env: { ...process.env, ...env }, timeout: 120_000 },
        (error: ExecFileException | null, output, errors) =>
          done({ code: Number(error?.code ?? 0), output, errors }),
      );
      child.stdin?.end(input);
    });
}

describe.each([
  ['WebSocket', () => modern, {}],
  ['SPDY to the cluster', () => older, {}],
  ['SPDY to the bastion', () => modern, { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' }],
] as const)('kubectl over %s', (_title, target, env) => {
  it('runs commands, reads input and copies files both ways', async () => {
    const kubectl = await kubectlTo(target());
    const failed = await kubectl(['exec', 'web', '--', 'sh', '-c', 'echo out; exit 5'], { env });
    expect(failed).toMatchObject({ code: 5, output: 'out\n' });
    const counted = await kubectl(['exec', '-i', 'web', '--', 'wc', '-c'], { env, input: 'abcd' });
    expect([counted.code, counted.output.trim()]).toEqual([0, '4']);
    const [from, there, back] = ['from', 'there', 'back'].map((name) => join(folder, name));
    await writeFile(`${from}`, randomBytes(2_000_000));
    expect(await kubectl(['cp', `${from}`, `web:${there}`], { env })).toMatchObject({ code: 0 });
    expect(await kubectl(['cp', `web:${there}`, `${back}`], { env })).toMatchObject({ code: 0 });
    expect((await readFile(`${back}`)).equals(await readFile(`${from}`))).toBe(true);
  });
});

describe('the Python client', () => {
  const VERSION = '35.0.0';
  const PROGRAM = `
import sys
from kubernetes import client, config
from kubernetes.stream import stream
config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
print([pod.metadata.name for pod in core.list_namespaced_pod('default').items])
print(core.read_namespaced_pod_log('web', 'default'), end='')
answer = stream(core.connect_get_namespaced_pod_exec, 'web', 'default',
    command=['sh', '-c', 'echo from the pod; exit 4'], stdout=True, stderr=True, stdin=False,
    tty=False, _preload_content=False)
answer.run_forever(timeout=60)
print(answer.read_stdout(), end='')
print(answer.returncode)
`;

  it('lists pods, reads a log and runs a command over its WebSocket', async () => {
    const packages = join(folder, 'python');
    const install = ['--quiet', '--root-user-action=ignore', '--target', packages];
    await promisify(execFile)('python3', [
      ...['-m', 'pip', 'install', ...install, `kubernetes==${VERSION}`],
    ]);
    notePeers(`kubernetes ${VERSION} for Python`);
    modern.appendLog('ready\n');
    const config = await configFor(modern);
    const { stdout } = await promisify(execFile)('python3', ['-c', PROGRAM, config], {
      env: { ...process.env, PYTHONPATH: packages },
      timeout: 120_000,
    });
    expect(stdout.split('\n')).toEqual(["['web']", 'ready', 'from the pod', '4', '']);
  });
});

describe('kubectl to a real API server', () => {
  const manifest = (spec: Json) =>
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec },
      },
    });
  const containers = [{ name: 'main', image: 'nginx:1.29' }];

  it('acts as the user of the permission, and cannot make a pod that owns its node', async () => {
    const kubectl = await kubectlTo(api);
    expect((await kubectl(['auth', 'whoami', '-o', 'json'])).output).toContain(user.username);
    const apply = (spec: Json, ...more: string[]) =>
      kubectl(['apply', '-f', '-', ...more], { input: manifest(spec) });
    expect(await apply({ containers })).toMatchObject({ code: 0 });
    expect(await apply({ containers, terminationGracePeriodSeconds: 5 })).toMatchObject({
      code: 0,
    });
    expect(await apply({ containers }, '--server-side', '--force-conflicts')).toMatchObject({
      code: 0,
    });
    expect(await kubectl(['scale', 'deployment/web', '--replicas=2'])).toMatchObject({ code: 0 });
    expect(await kubectl(['rollout', 'restart', 'deployment/web'])).toMatchObject({ code: 0 });
    const image = await kubectl(['set', 'image', 'deployment/web', 'main=nginx:1.30']);
    expect(image).toMatchObject({ code: 0 });
    for (const more of [[], ['--server-side', '--force-conflicts']]) {
      const refused = await apply({ containers, hostPID: true }, ...more);
      expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('hostPID')]);
    }
    const patch = JSON.stringify([
      { op: 'add', path: '/spec/template/spec/hostNetwork', value: true },
    ]);
    const patched = await kubectl(['patch', 'deployment/web', '--type=json', '-p', patch]);
    expect([patched.code, patched.errors]).toEqual([1, expect.stringContaining('hostNetwork')]);
    const stored = await api.kubectl('get', 'deployment/web', '-o', 'json');
    expect(stored).not.toMatch(/hostPID|hostNetwork/);
  });
});
