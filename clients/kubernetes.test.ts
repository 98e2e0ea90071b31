import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { notePeers } from '../server/src/testing/peers.ts';
import { type KubernetesApi, startKubernetesApi } from './kubernetes/api-server.ts';

const CHART = join(import.meta.dirname, '../packaging/helm');

let api: KubernetesApi;
beforeAll(async () => {
  api = await startKubernetesApi();
  notePeers(`kube-apiserver ${api.version}`);
}, 1_800_000);
afterAll(() => api?.stop());

const SERVICES = ['service/bastion', 'service/bastion-ssh'];
const SET = 'statefulset.apps/bastion';
const external = { externalDatabase: true, environmentSecret: 'bastion' };

it.each([
  ['one server', {}, [...SERVICES, SET]],
  ['an external database', external, [...SERVICES, SET]],
  [
    'several servers with little storage, as recordings are in a bucket',
    { ...external, replicas: 3, waitForSessions: 30, storage: { size: '5Gi', className: 'fast' } },
    [...SERVICES, SET, 'poddisruptionbudget.policy/bastion'],
  ],
  [
    'an ingress',
    {
      ingress: {
        enabled: true,
        className: 'nginx',
        tlsSecret: 'tls',
        annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '120' },
      },
    },
    [...SERVICES, SET, 'ingress.networking.k8s.io/bastion'],
  ],
  [
    'a gateway',
    { gateway: { name: 'public', namespace: 'infra' } },
    [...SERVICES, SET, 'httproute.gateway.networking.k8s.io/bastion'],
  ],
  [
    'names that YAML reads as other types',
    {
      ...external,
      environmentSecret: '123',
      storage: { size: '1Gi', className: 'null' },
      ingress: { enabled: true, className: '1e3', tlsSecret: 'true' },
      gateway: { name: '007', namespace: 'off' },
    },
    [
      ...SERVICES,
      SET,
      'ingress.networking.k8s.io/bastion',
      'httproute.gateway.networking.k8s.io/bastion',
    ],
  ],
])('renders objects that the API server accepts: %s', async (_title, values, objects) => {
  const lines = await api.dryRun(await api.render(CHART, values));
  expect(lines.toSorted()).toEqual(
    objects.map((name) => `${name} serverside-applied (server dry run)`).toSorted(),
  );
});

it('waits as long as the sessions may, and a minute', async () => {
  expect(await api.render(CHART, { waitForSessions: 30 })).toContain(
    'terminationGracePeriodSeconds: 1860',
  );
});

it.each([
  ['several servers without an external database', { replicas: 2 }, 'replicas'],
  ['an external database without its secret', { externalDatabase: true }, 'environmentSecret'],
  ['an unknown value', { replica: 2 }, 'replica'],
])('refuses to render %s', async (_title, values, place) => {
  await expect(api.render(CHART, values)).rejects.toThrow(place);
});
