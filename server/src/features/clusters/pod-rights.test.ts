import { describe, expect, it } from 'vitest';
import { parseKubeRequest } from './kube-request.ts';
import { judgePods, UnreadableBody } from './pod-rights.ts';

type Fields = Record<string, unknown>;
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const CONTAINER = { name: 'main', image: 'nginx:1.29' };
const PLAIN = { containers: [CONTAINER] };
const withContainer = (more: Fields) => ({ containers: [{ ...CONTAINER, ...more }] });
const withSecurity = (more: Fields) => withContainer({ securityContext: more });
const withVolume = (more: Fields) => ({ ...PLAIN, volumes: [{ name: 'v', ...more }] });

/** Pods that own their node, each by one part. */
const NODE_OWNERS: readonly [string, Fields][] = [
  ['hostPID', { ...PLAIN, hostPID: true }],
  ['hostIPC', { ...PLAIN, hostIPC: true }],
  ['hostNetwork', { ...PLAIN, hostNetwork: true }],
  ['privileged', withSecurity({ privileged: true })],
  [
    'init container',
    { ...PLAIN, initContainers: [{ ...CONTAINER, securityContext: { privileged: true } }] },
  ],
  ['capabilities', withSecurity({ capabilities: { add: ['NET_BIND_SERVICE', 'SYS_ADMIN'] } })],
  ['all capabilities', withSecurity({ capabilities: { add: ['ALL'] } })],
  ['CAP_ spelling', withSecurity({ capabilities: { add: ['CAP_SYS_MODULE'] } })],
  ['procMount', withSecurity({ procMount: 'Unmasked' })],
  ['seccomp', withSecurity({ seccompProfile: { type: 'Unconfined' } })],
  ['AppArmor', { ...PLAIN, securityContext: { appArmorProfile: { type: 'Unconfined' } } }],
  ['SELinux type', withSecurity({ seLinuxOptions: { type: 'spc_t' } })],
  ['SELinux user', withSecurity({ seLinuxOptions: { user: 'system_u' } })],
  [
    'sysctl',
    { ...PLAIN, securityContext: { sysctls: [{ name: 'kernel.core_pattern', value: 'x' }] } },
  ],
  ['Windows', withSecurity({ windowsOptions: { hostProcess: true } })],
  ['host port', withContainer({ ports: [{ containerPort: 80, hostPort: 80 }] })],
  ['probe', withContainer({ livenessProbe: { httpGet: { host: '10.0.0.1', port: 1 } } })],
  ['hook', withContainer({ lifecycle: { preStop: { tcpSocket: { host: '10.0.0.1', port: 1 } } } })],
  ['hostPath', withVolume({ hostPath: { path: '/' } })],
  ['flexVolume', withVolume({ flexVolume: { driver: 'a/b' } })],
  ['gitRepo', withVolume({ gitRepo: { repository: 'x' } })],
  ['a source of volumes that we do not know', withVolume({ newSource: {} })],
  ['iSCSI', withVolume({ iscsi: { targetPortal: 'x' } })],
];

const KINDS: readonly [string, string, (spec: Fields) => Fields][] = [
  ['Pod', '/api/v1/namespaces/shop/pods', (spec) => ({ spec })],
  ['PodTemplate', '/api/v1/namespaces/shop/podtemplates', (spec) => ({ template: { spec } })],
  [
    'CronJob',
    '/apis/batch/v1/namespaces/shop/cronjobs',
    (spec) => ({ spec: { jobTemplate: { spec: { template: { spec } } } } }),
  ],
  ...[
    ['ReplicationController', '/api/v1/namespaces/shop/replicationcontrollers'],
    ['Deployment', '/apis/apps/v1/namespaces/shop/deployments'],
    ['ReplicaSet', '/apis/apps/v1/namespaces/shop/replicasets'],
    ['StatefulSet', '/apis/apps/v1/namespaces/shop/statefulsets'],
    ['DaemonSet', '/apis/apps/v1/namespaces/shop/daemonsets'],
    ['Job', '/apis/batch/v1/namespaces/shop/jobs'],
    ['a kind of an extension', '/apis/example.com/v1/namespaces/shop/fleets'],
  ].map(([kind = '', path = '']): [string, string, (spec: Fields) => Fields] => [
    kind,
    path,
    (spec) => ({ spec: { template: { metadata: { labels: { app: 'x' } }, spec } } }),
  ]),
];
const META = { name: 'x', resourceVersion: '41' };

/** Ways to bring a change to an object. */
const WAYS: readonly [
  string,
  (path: string, before: Fields, after: Fields) => ReturnType<typeof judgePods>,
][] = [
  [
    'create',
    (path, _before, after) =>
      judgePods(parseKubeRequest('POST', path), 'application/json', bytes(after)),
  ],
  [
    'create by YAML',
    (path, _before, after) =>
      judgePods(
        parseKubeRequest('POST', path),
        'application/yaml',
        Buffer.from(`# object\n${JSON.stringify(after)}`),
      ),
  ],
  [
    'update',
    (path, before, after) =>
      judgePods(
        parseKubeRequest('PUT', `${path}/x`),
        'application/json',
        bytes(after),
        bytes(before),
      ),
  ],
  ...(['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'] as const).map(
    (
      type,
    ): [string, (path: string, before: Fields, after: Fields) => ReturnType<typeof judgePods>] => [
      type,
      (path, before, after) =>
        judgePods(
          parseKubeRequest('PATCH', `${path}/x`),
          `application/${type}`,
          bytes(after),
          bytes(before),
        ),
    ],
  ),
  [
    'json-patch+json',
    (path, before, after) => {
      const operations = Object.entries(after).map(([key, value]) => ({
        op: 'add',
        path: `/${key}`,
        value,
      }));
      return judgePods(
        parseKubeRequest('PATCH', `${path}/x`),
        'application/json-patch+json',
        bytes(operations),
        bytes(before),
      );
    },
  ],
];

describe('a pod that owns its node', () => {
  it.each(KINDS.flatMap((kind) => WAYS.map((way) => [...kind, ...way] as const)))(
    'needs its right in %s (%s)',
    (_kind, path, wrap, _way, judge) => {
      const before = { metadata: META, ...wrap(PLAIN) };
      for (const [title, spec] of NODE_OWNERS)
        expect([title, judge(path, before, wrap(spec)).needs]).toEqual([title, ['node_pods']]);
    },
  );

  it.each(KINDS.flatMap((kind) => WAYS.map((way) => [...kind, ...way] as const)))(
    'leaves out a plain %s (%s, %s)',
    (_kind, path, wrap, _way, judge) => {
      const before = { metadata: META, ...wrap(PLAIN) };
      const spec = {
        ...withSecurity({
          privileged: false,
          procMount: 'Default',
          capabilities: { add: ['NET_BIND_SERVICE', 'SYS_PTRACE'], drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
          seLinuxOptions: { type: 'container_t', level: 's0:c1' },
        }),
        hostNetwork: false,
        serviceAccountName: 'default',
        volumes: [
          { name: 'a', configMap: {} },
          { name: 'b', emptyDir: {} },
          { name: 'c', projected: {} },
        ],
      };
      expect(judge(path, before, wrap(spec)).needs).toEqual([]);
    },
  );

  it.each([
    ['local volume', { spec: { local: { path: '/var' } } }],
    ['folder of the node', { spec: { hostPath: { path: '/' } } }],
  ])('counts a persistent volume with a %s', (_title, body) => {
    const request = parseKubeRequest('POST', '/api/v1/persistentvolumes');
    expect(judgePods(request, 'application/json', bytes(body)).needs).toEqual(['node_pods']);
  });

  it('counts a claim of devices with the access of an administrator', () => {
    const path = '/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims';
    const body = { spec: { devices: { requests: [{ exactly: { adminAccess: true } }] } } };
    const judged = judgePods(parseKubeRequest('POST', path), 'application/json', bytes(body));
    expect(judged.needs).toEqual(['node_pods']);
  });

  it('counts the annotation of older API servers', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/main';
    const body = { metadata: { annotations: { [key]: 'unconfined' } }, spec: PLAIN };
    const request = parseKubeRequest('POST', '/api/v1/namespaces/shop/pods');
    expect(judgePods(request, 'application/json', bytes(body)).needs).toEqual(['node_pods']);
  });

  it('judges many places below a long key in a short time, and cuts their names', () => {
    const key = 'k'.repeat(1_000_000);
    const body = bytes({ [key]: Array.from({ length: 20_000 }, () => ({ hostPID: true })) });
    const request = parseKubeRequest('POST', '/api/v1/namespaces/shop/pods');
    const began = performance.now();
    const { needs, reasons } = judgePods(request, 'application/json', body);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect([needs, reasons]).toEqual([['node_pods'], ['…']]);
  });

  it('names at most eight places', () => {
    const spec = {
      containers: Array.from({ length: 20 }, () => ({ securityContext: { privileged: true } })),
    };
    const request = parseKubeRequest('POST', '/api/v1/namespaces/shop/pods');
    const { reasons } = judgePods(request, 'application/json', bytes({ spec }));
    expect(reasons).toHaveLength(8);
    expect(reasons[0]).toBe('spec.containers[0].securityContext.privileged');
  });
});

describe('another identity and another container', () => {
  const path = '/api/v1/namespaces/shop/pods';

  it.each(['serviceAccountName', 'serviceAccount'])('needs a right for %s', (key) => {
    const body = bytes({ spec: { ...PLAIN, [key]: 'builder' } });
    expect(judgePods(parseKubeRequest('POST', path), 'application/json', body).needs).toEqual([
      'escalate',
    ]);
  });

  it('keeps the account that the object has', () => {
    const before = bytes({ metadata: META, spec: { ...PLAIN, serviceAccountName: 'builder' } });
    const request = parseKubeRequest('PUT', `${path}/x`);
    const judge = (name: string) =>
      judgePods(
        request,
        'application/json',
        bytes({ spec: { containers: [{ ...CONTAINER, image: 'b' }], serviceAccountName: name } }),
        before,
      ).needs;
    expect(judge('builder')).toEqual([]);
    expect(judge('deployer')).toEqual(['escalate']);
  });

  it('judges the patch of kubectl debug, and the pod that it enters', () => {
    const request = parseKubeRequest('PATCH', `${path}/x/ephemeralcontainers`);
    const patch = (securityContext: Fields) =>
      bytes({
        spec: { ephemeralContainers: [{ name: 'debugger', image: 'busybox', securityContext }] },
      });
    const judge = (securityContext: Fields, spec: Fields) =>
      judgePods(
        request,
        'application/strategic-merge-patch+json',
        patch(securityContext),
        bytes({ metadata: META, spec }),
      ).needs;
    expect(judge({ capabilities: { add: ['SYS_PTRACE'] } }, PLAIN)).toEqual(['ephemeral']);
    expect(judge({ privileged: true }, PLAIN)).toEqual(['ephemeral', 'node_pods']);
    expect(judge({}, { ...PLAIN, hostPID: true })).toEqual(['ephemeral', 'node_pods']);
  });
});

describe('a body of a Secret', () => {
  const path = '/api/v1/namespaces/shop/secrets';
  const token = (name: string) => ({
    type: 'kubernetes.io/service-account-token',
    metadata: { ...META, annotations: { 'kubernetes.io/service-account.name': name } },
  });
  const judge = (method: string, type: string, value: unknown, existing?: Fields) =>
    judgePods(
      parseKubeRequest(method, method === 'POST' ? path : `${path}/x`),
      `application/${type}`,
      bytes(value),
      existing && bytes(existing),
    ).needs;
  const plain = { metadata: META, data: {} };

  it('needs the right to escalate for a Secret that issues a token', () => {
    expect(judge('POST', 'json', token('default'))).toEqual(['escalate']);
    expect(judge('POST', 'json', { type: 'bootstrap.kubernetes.io/token' })).toEqual(['escalate']);
    expect(judge('PUT', 'json', token('builder'), plain)).toEqual(['escalate']);
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'])
      expect(judge('PATCH', type, token('builder'), plain)).toEqual(['escalate']);
    const add = {
      op: 'add',
      path: '/metadata/annotations',
      value: token('a').metadata.annotations,
    };
    expect(judge('PATCH', 'json-patch+json', [add], plain)).toEqual(['escalate']);
  });

  it('keeps the account that a Secret names already', () => {
    const patch = { metadata: { labels: { a: 'b' } } };
    expect(judge('PATCH', 'merge-patch+json', patch, token('builder'))).toEqual([]);
    expect(judge('PATCH', 'merge-patch+json', token('other'), token('builder'))).toEqual([
      'escalate',
    ]);
  });

  it('accepts a Secret with keys that a pod must not have', () => {
    const stringData = { hostPID: 'true', serviceAccountName: 'builder' };
    expect(judge('POST', 'json', { type: 'Opaque', stringData })).toEqual([]);
  });
});

describe('an object that owns its node already', () => {
  const path = '/apis/apps/v1/namespaces/shop/deployments/x';
  const before = {
    metadata: META,
    spec: { replicas: 1, template: { metadata: {}, spec: { ...PLAIN, hostPID: true } } },
  };
  const patch = (type: string, value: unknown) =>
    judgePods(parseKubeRequest('PATCH', path), `application/${type}`, bytes(value), bytes(before));
  const image = { spec: { template: { spec: { containers: [{ name: 'main', image: 'evil' }] } } } };
  const restart = { spec: { template: { metadata: { annotations: { restartedAt: 'now' } } } } };

  it.each([
    ['a new image', 'strategic-merge-patch+json', image],
    ['a new image', 'merge-patch+json', image],
    ['a new image', 'apply-patch+yaml', image],
    [
      'a new image',
      'json-patch+json',
      [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'evil' }],
    ],
    [
      'a moved part',
      'json-patch+json',
      [
        {
          op: 'move',
          from: '/spec/template/spec/containers/0',
          path: '/spec/template/spec/containers/-',
        },
        { op: 'add', path: '/spec/template/spec/containers/0/tty', value: true },
      ],
    ],
    ['a directive', 'strategic-merge-patch+json', { spec: { $patch: 'merge', replicas: 2 } }],
  ])('needs the right for %s (%s)', (_title, type, value) => {
    const { needs, isPinned } = patch(type, value);
    expect([needs, isPinned]).toEqual([['node_pods'], true]);
  });

  it.each([
    ['another scale', 'merge-patch+json', { spec: { replicas: 3 } }],
    ['a restart', 'strategic-merge-patch+json', restart],
    ['a label', 'json-patch+json', [{ op: 'add', path: '/metadata/labels', value: {} }]],
  ])('needs no right for %s (%s)', (_title, type, value) => {
    const judged = patch(type, value);
    expect([judged.needs, judged.isPinned]).toEqual([[], false]);
    expect(JSON.parse(judged.body)).toEqual(value);
  });

  it('needs no right for an update that leaves its pods, in any order of keys', () => {
    const after = {
      spec: {
        template: {
          spec: { hostPID: true, containers: [{ image: CONTAINER.image, name: 'main' }] },
        },
        replicas: 4,
      },
      metadata: { name: 'x' },
    };
    const judged = judgePods(
      parseKubeRequest('PUT', path),
      'application/json',
      bytes(after),
      bytes(before),
    );
    expect(judged.needs).toEqual([]);
    expect(JSON.parse(judged.body).metadata).toEqual({ name: 'x', resourceVersion: '41' });
  });

  it('allows a merge patch that removes the hazard', () => {
    const judged = patch('merge-patch+json', { spec: { template: { spec: { hostPID: null } } } });
    expect(judged.needs).toEqual([]);
  });

  it('counts the parts that a patch moves together', () => {
    const source = {
      metadata: META,
      spec: { template: { spec: { containers: [{ ...CONTAINER, env: [{ name: 'a' }] }] } } },
    };
    const operations = [
      { op: 'add', path: '/spec/template/spec/a~1b', value: { add: ['SYS_ADMIN'] } },
      { op: 'add', path: '/spec/template/spec/containers/0/securityContext', value: {} },
      {
        op: 'move',
        from: '/spec/template/spec/a~1b',
        path: '/spec/template/spec/containers/0/securityContext/capabilities',
      },
    ];
    const judged = judgePods(
      parseKubeRequest('PATCH', path),
      'application/json-patch+json',
      bytes(operations),
      bytes(source),
    );
    expect(judged).toMatchObject({ needs: ['node_pods'], isPinned: true });
    expect(JSON.parse(judged.body)[0]).toEqual({
      op: 'test',
      path: '/metadata/resourceVersion',
      value: '41',
    });
  });

  it.each(['', null])('sets the judged version when the client sends %j', (resourceVersion) => {
    const spec = { template: { spec: { hostPID: null } } };
    const judged = patch('merge-patch+json', { metadata: { resourceVersion }, spec });
    expect(JSON.parse(judged.body).metadata.resourceVersion).toBe('41');
  });

  it('keeps the version that the client asks for', () => {
    const judged = patch('merge-patch+json', {
      metadata: { resourceVersion: '7' },
      spec: { template: { spec: { hostPID: null } } },
    });
    expect(JSON.parse(judged.body).metadata.resourceVersion).toBe('7');
  });
});

it('applies a JSON patch to a wide object in a short time', () => {
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 0]));
  const operations = [
    { op: 'add', path: '/spec/wide', value: wide },
    ...Array.from({ length: 900 }, (_, index) => ({
      op: 'add',
      path: `/spec/wide/z${index}`,
      value: 0,
    })),
    { op: 'copy', from: '/spec/containers', path: '/spec/copied' },
    { op: 'add', path: '/spec/copied/0/securityContext', value: { privileged: true } },
  ];
  const began = performance.now();
  const judged = judgePods(
    parseKubeRequest('PATCH', '/api/v1/namespaces/shop/pods/x'),
    'application/json-patch+json',
    bytes(operations),
    bytes({ metadata: META, spec: PLAIN }),
  );
  expect(performance.now() - began).toBeLessThan(10_000);
  // The copy alone was changed.
  expect(judged.reasons).toEqual(['spec.copied[0].securityContext.privileged']);
});

describe('the body for the API server', () => {
  const create = parseKubeRequest('POST', '/api/v1/namespaces/shop/pods');

  it('sends the object that was judged when a key comes twice', () => {
    const twice = Buffer.from('{"spec":{"hostPID":true,"hostPID":false,"containers":[]}}');
    const judged = judgePods(create, 'application/json; charset=utf-8', twice);
    expect([judged.needs, judged.body]).toEqual([[], '{"spec":{"hostPID":false,"containers":[]}}']);
  });

  it('sends JSON for YAML with aliases', () => {
    const yaml = Buffer.from('spec: &s\n  hostPID: yes\ncopy: *s\n');
    const judged = judgePods(create, 'application/yaml', yaml);
    expect(judged).toMatchObject({ contentType: 'application/json', needs: ['node_pods'] });
    expect(JSON.parse(judged.body).copy).toEqual({ hostPID: true });
  });

  it.each([
    ['protobuf', 'application/vnd.kubernetes.protobuf', 'k8s\0', 415],
    ['CBOR', 'application/cbor', '{}', 415],
    ['a form', 'application/x-www-form-urlencoded', 'a=b', 415],
    ['a patch in a creation', 'application/merge-patch+json', '{}', 415],
    ['wrong JSON', 'application/json', '{"spec":', 400],
    ['YAML that says it is JSON', 'application/json', 'spec: {}', 400],
    ['two documents', 'application/yaml', 'a: 1\n---\nb: 2\n', 400],
    ['an unknown tag', 'application/yaml', 'a: !!python/object x\n', 400],
    [
      'an alias bomb',
      'application/yaml',
      `a: &a [x]\n${'bcdefghij'
        .split('')
        .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[index]}`)}]\n`)
        .join('')}`,
      400,
    ],
    ['a long YAML', 'application/yaml', `a: ${'x'.repeat(300_000)}`, 413],
    ['a list', 'application/json', '[]', 400],
    ['nothing', 'application/json', '', 400],
    ['deep nesting', 'application/json', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 400],
    ['deep nesting in YAML', 'application/yaml', `a: ${'['.repeat(20_000)}`, 400],
    ['a large number', 'application/json', '{"a":9007199254740993}', 400],
    ['a prototype', 'application/json', '{"__proto__":{"hostPID":true}}', 400],
    ['bytes that are no text', 'application/json', Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ['too many bytes', 'application/json', `{"a":"${'x'.repeat(4_000_000)}"}`, 413],
  ])('refuses %s', (_title, type, body, status) => {
    const judge = () => judgePods(create, type, Buffer.from(body));
    expect(judge).toThrow(UnreadableBody);
    expect(judge).toThrow(expect.objectContaining({ status }));
  });

  it.each([
    ['no list', {}],
    ['an unknown operation', [{ op: 'merge', path: '/spec' }]],
    ['no path', [{ op: 'add', value: 1 }]],
    ['the whole object', [{ op: 'replace', path: '', value: {} }]],
    ['a missing field', [{ op: 'replace', path: '/spec/b/c', value: 1 }]],
    ['a missing item', [{ op: 'remove', path: '/spec/containers/9' }]],
    ['an index with a sign', [{ op: 'remove', path: '/spec/containers/+0' }]],
    ['a missing source', [{ op: 'copy', from: '/nothing', path: '/spec/a' }]],
    ['a prototype', [{ op: 'add', path: '/__proto__/hostPID', value: true }]],
    [
      'copies that double',
      [
        { op: 'add', path: '/spec/a', value: {} },
        ...Array.from({ length: 25 }, (_, index) => ({
          op: 'copy',
          from: '/spec/a',
          path: `/spec/a/${index}`,
        })),
      ],
    ],
    [
      'parts that nest too deeply',
      Array.from({ length: 110 }, (_, index) => ({
        op: 'add',
        path: `/spec${'/a'.repeat(index + 1)}`,
        value: {},
      })),
    ],
    [
      'too many operations',
      Array.from({ length: 1001 }, () => ({ op: 'add', path: '/spec/a', value: 1 })),
    ],
  ])('refuses a JSON patch with %s', (_title, patch) => {
    const request = parseKubeRequest('PATCH', '/api/v1/namespaces/shop/pods/x');
    const existing = bytes({ metadata: META, spec: PLAIN });
    expect(() => judgePods(request, 'application/json-patch+json', bytes(patch), existing)).toThrow(
      UnreadableBody,
    );
  });
});
