import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../server/src/config-variables.ts';
import { ROOT } from './lib.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

const TEMPLATES = ['disruption', 'ingress', 'route', 'services', 'statefulset'];
const chart = parse(read('packaging/helm/Chart.yaml'));
const values = parse(read('packaging/helm/values.yaml'));
const isValid = new Ajv({ allErrors: true }).compile(
  JSON.parse(read('packaging/helm/values.schema.json')),
);

/** Paths of all values that are not objects. */
const pathsOf = (value, path) =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))
    : [path.join('.')];

/** Drops the lines of conditions that do not hold: a path, or `gt (int path) number`. */
function keepLines(text, valueAt) {
  const holding = [];
  return text.split('\n').filter((line) => {
    const [, condition] = /^ *\{\{- if (.+) \}\}$/.exec(line) ?? [];
    const [, path, least] = /^(?:gt \(int )?\.([\w.]+)(?:\) (\d+))?$/.exec(condition ?? '') ?? [];
    if (path) {
      const value = valueAt(path);
      holding.push(least === undefined ? Boolean(value) : value > Number(least));
      return false;
    }
    if (/^ *\{\{- end \}\}$/.test(line)) {
      holding.pop();
      return false;
    }
    return !holding.includes(false);
  });
}

/** Fills in values as Helm does, for the few forms that the templates use. */
const documentsOf = (name, changed = {}) => {
  const scope = {
    Values: { ...values, ...changed },
    Chart: { AppVersion: chart.appVersion },
    Release: { Name: 'bastion' },
  };
  const valueAt = (path) =>
    path.split('.').reduce((object, key) => {
      expect(object, path).toHaveProperty([key]);
      return object[key];
    }, scope);
  const text = keepLines(read(`packaging/helm/templates/${name}.yaml`), valueAt)
    .join('\n')
    .replace('{{ add 60 (mul 60 (int .Values.waitForSessions)) }}', () =>
      String(60 + 60 * scope.Values.waitForSessions),
    )
    .replaceAll(
      '{{ (urlParse .Values.publicUrl).hostname }}',
      () => new URL(scope.Values.publicUrl).hostname,
    )
    .replace(
      /\{\{ (toJson )?\.([\w.]+)(?: \| default \.([\w.]+))? \}\}/g,
      (_, json, path, other) => {
        const value = valueAt(path) || (other ? valueAt(other) : valueAt(path));
        return json ? JSON.stringify(value) : String(value);
      },
    );
  expect(text).not.toContain('{{');
  return parseAllDocuments(text).map((document) => document.toJS());
};

it('runs the image without privileges, with ports and volume of the image', () => {
  expect(chart.appVersion).toBe(JSON.parse(read('package.json')).version);
  const [{ spec }] = documentsOf('statefulset');
  const { securityContext, containers } = spec.template.spec;
  const [container] = containers;
  expect(container.image).toBe(`registry.example.com/sallyport:${chart.appVersion}`);
  expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const variables = VARIABLES.map(({ name }) => name);
  for (const { name } of container.env) expect(variables, name).toContain(name);
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/var/lib/sallyport');
  const services = documentsOf('services');
  const ports = container.ports.map(({ name }) => name);
  for (const { spec: service } of services) {
    expect(service.selector).toEqual(spec.selector.matchLabels);
    for (const { targetPort } of service.ports) expect(ports).toContain(targetPort);
  }
});

it('spreads several servers, names their database, and budgets their disruption', () => {
  const several = { replicas: 3, externalDatabase: true, environmentSecret: 'bastion' };
  expect(isValid({ ...values, ...several })).toBe(true);
  const [{ spec }] = documentsOf('statefulset', { ...several, waitForSessions: 30 });
  const { terminationGracePeriodSeconds, topologySpreadConstraints, containers } =
    spec.template.spec;
  expect(spec.replicas).toBe(3);
  expect(terminationGracePeriodSeconds).toBe(31 * 60);
  expect(topologySpreadConstraints).toHaveLength(1);
  const [{ env, ports }] = containers;
  const required = env.filter(({ valueFrom }) => valueFrom).map(({ name }) => name);
  expect(required).toEqual(['SALLYPORT_DATABASE_URL', 'SALLYPORT_SECRET_KEY']);
  const { value } = env.find(({ name }) => name === 'SALLYPORT_PEER_PORT');
  expect(ports.map(({ containerPort }) => containerPort)).toContain(Number(value));
  const [budget] = documentsOf('disruption', several);
  expect(budget.spec).toMatchObject({ maxUnavailable: 1, selector: spec.selector });
  expect(documentsOf('disruption')).toEqual([]);
});

it('leads an ingress and a route of a gateway to the console', () => {
  const ingress = { ...values.ingress, enabled: true, tlsSecret: 'tls' };
  const [{ spec }] = documentsOf('ingress', { ingress });
  expect(spec.rules[0]).toMatchObject({ host: 'bastion.example.com' });
  const [service] = documentsOf('services');
  const { backend } = spec.rules[0].http.paths[0];
  expect(backend.service.name).toBe(service.metadata.name);
  expect(service.spec.ports.map(({ name }) => name)).toContain(backend.service.port.name);
  const [route] = documentsOf('route', { gateway: { name: 'public', namespace: '' } });
  expect(route.spec.parentRefs).toEqual([{ name: 'public' }]);
  expect(route.spec.rules[0].backendRefs).toEqual([
    { name: service.metadata.name, port: service.spec.ports[0].port },
  ]);
});

it('has a schema that accepts the default values and usual ones', () => {
  expect(isValid(values), JSON.stringify(isValid.errors)).toBe(true);
  const usual = {
    ...values,
    image: { repository: 'localhost:5000/tools/sallyport', tag: '2.1.0-git20261125' },
    publicUrl: 'https://bastion.example.com:8443',
    trustedProxies: '10.0.0.0/8, fd00::/8',
    environmentSecret: 'bastion-environment',
    storage: { size: '1.5Ti', className: 'fast-ssd' },
    ssh: { serviceType: 'NodePort', port: 22 },
    resources: { requests: { cpu: 2 }, limits: { memory: '4Gi', cpu: '1500m' } },
  };
  expect(isValid(usual), JSON.stringify(isValid.errors)).toBe(true);
  expect(isValid({ ...usual, resources: {} })).toBe(true);
});

it.each([
  ['/image/repository', { image: { repository: 'registry.example.com/sallyport:2', tag: '' } }],
  ['/image/tag', { image: { repository: 'sallyport', tag: 2.1 } }],
  ['/publicUrl', { publicUrl: 'bastion.example.com' }],
  ['/publicUrl', { publicUrl: 'https://bastion.example.com/console' }],
  ['/publicUrl', { publicUrl: 'https://bastion.example.com"\n' }],
  ['/trustedProxies', { trustedProxies: ['10.0.0.0/8'] }],
  ['/environmentSecret', { environmentSecret: 'Bastion_Environment' }],
  ['/storage/size', { storage: { size: '20 GB', className: '' } }],
  ['/storage', { storage: { size: '20Gi' } }],
  ['/ssh/port', { ssh: { serviceType: 'NodePort', port: 70_000 } }],
  ['/ssh/port', { ssh: { serviceType: 'NodePort', port: '22' } }],
  ['/ssh/serviceType', { ssh: { serviceType: 'loadbalancer', port: 22 } }],
  ['/resources/requests/memory', { resources: { requests: { memory: '1 GiB' } } }],
  ['/resources/requests/cpu', { resources: { requests: { cpu: 0 } } }],
  ['/replicas', { replicas: 2 }],
  ['/replicas', { replicas: 0, externalDatabase: true, environmentSecret: 'bastion' }],
  ['/environmentSecret', { externalDatabase: true }],
  ['/waitForSessions', { waitForSessions: 1441 }],
  ['/ingress/className', { ingress: { ...values.ingress, className: 'Nginx"' } }],
  ['/gateway/name', { gateway: { name: 'a b', namespace: '' } }],
  ['', { publicURL: 'https://bastion.example.com' }],
])('refuses a wrong value and names its place: %s', (place, wrong) => {
  expect(isValid({ ...values, ...wrong })).toBe(false);
  const places = isValid.errors.filter(({ keyword }) => keyword !== 'if');
  for (const { instancePath } of places) expect(instancePath).toBe(place);
});

it('describes every value in the schema, and uses every value in a template', () => {
  const used = TEMPLATES.flatMap((name) => [
    ...read(`packaging/helm/templates/${name}.yaml`).matchAll(/\.Values\.([\w.]+)/g),
  ]).map(([, path]) => path);
  for (const path of used) expect(values, path).toHaveProperty(path);
  const paths = pathsOf(values, []);
  for (const path of paths)
    expect(
      used.some((name) => path === name || path.startsWith(`${name}.`)),
      path,
    ).toBe(true);
  for (const path of paths) {
    const other = structuredClone(values);
    const keys = path.split('.');
    const last = keys.pop();
    const parent = keys.reduce((object, key) => object[key], other);
    parent[`${last}x`] = parent[last];
    expect(isValid(other), path).toBe(false);
  }
});
