import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../server/src/config-variables.ts';
import { ROOT } from './lib.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

const TEMPLATES = ['services', 'statefulset'];
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

/** Fills in values as Helm does, for the few forms that the templates use. */
const documentsOf = (name) => {
  const scope = {
    Values: values,
    Chart: { AppVersion: chart.appVersion },
    Release: { Name: 'bastion' },
  };
  const valueAt = (path) =>
    path.split('.').reduce((object, key) => {
      expect(object, path).toHaveProperty([key]);
      return object[key];
    }, scope);
  const text = read(`packaging/helm/templates/${name}.yaml`)
    .replace(/^ *\{\{- (if|end).*\}\}\n/gm, '')
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
  ['', { publicURL: 'https://bastion.example.com' }],
])('refuses a wrong value and names its place: %s', (place, wrong) => {
  expect(isValid({ ...values, ...wrong })).toBe(false);
  for (const { instancePath } of isValid.errors) expect(instancePath).toBe(place);
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
