import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../server/src/testing/free-port.ts';
import { until } from '../../server/src/testing/poll.ts';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/kubernetes');
const API_SERVER = 'k8s.io/kubernetes/cmd/kube-apiserver';
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const GATEWAY_API = 'sigs.k8s.io/gateway-api@v1.4.0';
/** A build of the server takes ten minutes of one processor. */
const START_MS = 120_000;
const MEBIBYTE = 1_048_576;

/** A Kubernetes API server with its own etcd, without nodes. */
export interface KubernetesApi {
  readonly version: string;
  readonly port: number;
  /** Certificate of the server, in PEM. */
  readonly authority: string;
  /** Token of an account with all rights. */
  readonly token: string;
  /** Runs kubectl as this account. Returns its output. @throws Error with its errors */
  kubectl(...words: string[]): Promise<string>;
  /** Renders a chart with values. @throws Error with the message of Helm */
  render(chart: string, values: object): Promise<string>;
  /** Applies objects as a dry run of the server. Returns a line per object. */
  dryRun(objects: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Builds the programs once. Go verifies the modules by its database of checksums. */
async function buildPrograms(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const env = { ...process.env, CGO_ENABLED: '0', GOBIN: CACHE, GOFLAGS: '-mod=mod' };
  const go = (...words: string[]) =>
    run('go', words, { cwd: CACHE, env, maxBuffer: 64 * MEBIBYTE });
  await cp(join(import.meta.dirname, 'go.mod'), join(CACHE, 'go.mod'));
  const options = ['-trimpath', '-ldflags', '-s -w'];
  if (!existsSync(join(CACHE, 'helm'))) await go('install', ...options, HELM);
  if (existsSync(join(CACHE, 'kube-apiserver'))) return;
  const version = '-s -w -X k8s.io/component-base/version.gitVersion=v1.36.3';
  await go('build', '-trimpath', '-ldflags', version, '-o', 'kube-apiserver', API_SERVER);
}

/** Returns the folder of the definitions of the Gateway API. */
async function gatewayDefinitions(): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', GATEWAY_API], { cwd: CACHE });
  return join((JSON.parse(stdout) as { Dir: string }).Dir, 'config/crd/standard');
}

/** Starts a program with its output in a file. */
function begin(folder: string, name: string, command: readonly string[]): ChildProcess {
  const output = openSync(join(folder, `${name}.log`), 'w');
  const [program = '', ...words] = command;
  return spawn(program, words, { cwd: folder, stdio: ['ignore', output, output] });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

export async function startKubernetesApi(): Promise<KubernetesApi> {
  await buildPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-kubernetes-'));
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const etcd = begin(folder, 'etcd', [
    '/usr/bin/etcd',
    '--data-dir=etcd',
    `--listen-client-urls=http://127.0.0.1:${client}`,
    `--advertise-client-urls=http://127.0.0.1:${client}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
  ]);
  const token = randomUUID();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(join(folder, 'accounts.key'), key, { mode: 0o600 });
  const account = `${token},admin,1,"system:masters"\n`;
  await writeFile(join(folder, 'tokens'), account, { mode: 0o600 });
  const server = begin(folder, 'server', [
    join(CACHE, 'kube-apiserver'),
    `--etcd-servers=http://127.0.0.1:${client}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--cert-dir=certificates',
    '--token-auth-file=tokens',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-account-key-file=accounts.key',
    '--service-account-signing-key-file=accounts.key',
    // Its controller, which makes the account of each namespace, is another program.
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const access = {
    clusters: [
      {
        name: 'local',
        cluster: {
          server: `https://127.0.0.1:${port}`,
          'certificate-authority': join(folder, 'certificates/apiserver.crt'),
        },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'admin' } }],
    'current-context': 'local',
  };
  const config = join(folder, 'config');
  await writeFile(config, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...access }), {
    mode: 0o600,
  });
  const kubectl = async (...words: string[]) =>
    (await run('kubectl', [`--kubeconfig=${config}`, ...words])).stdout;
  const stop = async () => {
    await end(server);
    await end(etcd);
    await rm(folder, { recursive: true, force: true });
  };
  const isReady = () =>
    kubectl('get', '--raw', '/readyz').then(
      () => true,
      () => false,
    );
  try {
    await until(isReady, 'the API server is ready', START_MS);
    await kubectl('apply', '--server-side', '-f', await gatewayDefinitions());
    const routes = 'crd/httproutes.gateway.networking.k8s.io';
    await kubectl('wait', '--for=condition=Established', '--timeout=120s', routes);
  } catch (error) {
    const log = (await readFile(join(folder, 'server.log'), 'utf8')).slice(-2000);
    await stop();
    throw new Error(`The API server does not start:\n${log}`, { cause: error });
  }
  let files = 0;
  const write = async (content: string) => {
    files++;
    const file = join(folder, `${files}.yaml`);
    await writeFile(file, content);
    return file;
  };
  return {
    port,
    authority: await readFile(join(folder, 'certificates/apiserver.crt'), 'utf8'),
    token,
    kubectl,
    version: (await kubectl('get', '--raw', '/version')).match(/v1[\d.]+/)?.[0] ?? '',
    async render(chart, values) {
      const file = await write(JSON.stringify(values));
      const words = ['template', 'bastion', chart, '--values', file, '--kube-version', '1.36.3'];
      return (await run(join(CACHE, 'helm'), words)).stdout;
    },
    async dryRun(objects) {
      const file = await write(objects);
      const words = ['apply', '--server-side', '--dry-run=server', '--validate=strict'];
      return (await kubectl(...words, '-f', file)).trim().split('\n');
    },
    stop,
  };
}
