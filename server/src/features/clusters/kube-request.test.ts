import { describe, expect, it } from 'vitest';
import { parseKubeRequest, UnclearRequest } from './kube-request.ts';

const POD = '/api/v1/namespaces/shop/pods/web-1';
const read = (method: string, url: string, upgrade?: string) => {
  const parsed = parseKubeRequest(method, url, upgrade);
  const kind = [parsed.resource, parsed.subresource].filter(Boolean).join('/');
  return [parsed.verb, kind, parsed.namespace, parsed.action ?? ''].join(' ').trim();
};

describe('a request to an API server', () => {
  it.each([
    ['GET', '/api/v1/namespaces/shop/pods', 'list pods shop'],
    ['HEAD', '/api/v1/namespaces/shop/pods', 'list pods shop'],
    ['GET', '/api/v1/pods?watch=0', 'list pods'],
    ['GET', '/api/v1/pods?watch=true&resourceVersion=5', 'watch pods'],
    ['GET', '/api/v1/pods?watch=True', 'watch pods'],
    ['GET', POD, 'get pods shop'],
    ['GET', `${POD}?watch=true`, 'get pods shop'],
    ['POST', '/api/v1/namespaces/shop/pods', 'create pods shop'],
    ['PUT', POD, 'update pods shop'],
    ['PATCH', POD, 'patch pods shop'],
    ['DELETE', POD, 'delete pods shop'],
    ['DELETE', '/api/v1/namespaces/shop/pods', 'deletecollection pods shop'],
    ['GET', '/api/v1/namespaces/shop', 'get namespaces shop'],
    ['PUT', '/api/v1/namespaces/shop/finalize', 'update namespaces/finalize shop escalate'],
    ['PATCH', '/api/v1/namespaces/shop', 'patch namespaces shop escalate'],
    ['PATCH', '/apis/apps/v1/namespaces/shop/deployments/web', 'patch deployments shop'],
    ['PUT', '/apis/apps/v1/namespaces/shop/deployments/web/scale', 'update deployments/scale shop'],
    ['GET', '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods', 'list pods shop'],
  ])('%s %s means %s', (method, url, meaning) => {
    expect(read(method, url)).toBe(meaning);
  });

  it.each([
    ['GET', `${POD}/log?follow=true`, undefined, 'get pods/log shop logs'],
    ['GET', `${POD}/exec?command=sh`, 'websocket', 'create pods/exec shop exec'],
    ['POST', `${POD}/exec?command=sh`, 'SPDY/3.1', 'create pods/exec shop exec'],
    ['GET', `${POD}/attach`, 'WebSocket', 'create pods/attach shop attach'],
    ['GET', `${POD}/portforward`, 'websocket', 'create pods/portforward shop portforward'],
    ['GET', `${POD}/proxy/healthz`, undefined, 'get pods/proxy shop proxy'],
    ['GET', `${POD}/proxy/socket`, 'websocket', 'get pods/proxy shop proxy'],
    ['GET', '/api/v1/nodes/n1/proxy/logs/', undefined, 'get nodes/proxy  node_pods'],
    ['POST', '/api/v1/nodes/n1/proxy/run/a/b/c', undefined, 'create nodes/proxy  node_pods'],
    [
      'PATCH',
      `${POD}/ephemeralcontainers`,
      undefined,
      'patch pods/ephemeralcontainers shop ephemeral',
    ],
    ['POST', `${POD}/eviction`, undefined, 'delete pods/eviction shop'],
    ['POST', `${POD}/binding`, undefined, 'create pods/binding shop escalate'],
    ['POST', '/api/v1/namespaces/shop/bindings', undefined, 'create bindings shop escalate'],
    ['PUT', `${POD}/status`, undefined, 'update pods/status shop escalate'],
    ['GET', '/api/v1/namespaces/shop/secrets/db', undefined, 'get secrets shop secrets'],
    [
      'DELETE',
      '/api/v1/namespaces/shop/secrets',
      undefined,
      'deletecollection secrets shop secrets',
    ],
    [
      'POST',
      '/api/v1/namespaces/shop/serviceaccounts/a/token',
      undefined,
      'create serviceaccounts/token shop escalate',
    ],
    [
      'POST',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      undefined,
      'create tokenreviews  escalate',
    ],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      undefined,
      'create subjectaccessreviews  escalate',
    ],
    [
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings',
      undefined,
      'create rolebindings shop escalate',
    ],
    [
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node',
      undefined,
      'get clusterroles',
    ],
    [
      'PUT',
      '/apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval',
      undefined,
      'update certificatesigningrequests/approval  escalate',
    ],
    [
      'PATCH',
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/a',
      undefined,
      'patch validatingwebhookconfigurations  escalate',
    ],
    ['PATCH', '/api/v1/nodes/n1', undefined, 'patch nodes  escalate'],
  ])('%s %s (%s) is the action of %s', (method, url, upgrade, meaning) => {
    expect(read(method, url, upgrade)).toBe(meaning);
  });

  it.each([
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['GET', '/'],
    ['GET', '/version?timeout=32s'],
    ['GET', '/version/'],
    ['GET', '/api'],
    ['GET', '/apis/'],
    ['GET', '/api/v1'],
    ['GET', '/apis/apps/v1/'],
    ['GET', '/openapi/v3/apis/apps/v1?hash=8A'],
    ['GET', '/livez/etcd'],
  ])('needs no permission: %s %s', (method, url) => {
    expect(parseKubeRequest(method, url)).toMatchObject({ isOpen: true, action: undefined });
  });

  it.each([
    ['GET', '/apis/example.com/v1/namespaces/shop/widgets', false],
    ['GET', '/apis/example.com/v1/namespaces/shop/pods', false],
    ['GET', `${POD}/console`, false],
    ['GET', '/apis/apps/v1/namespaces/shop/deployments/web/rollback', false],
    ['GET', '/api/v1/namespaces/shop/configmaps', true],
    ['GET', '/apis/batch/v1/cronjobs', true],
  ])('knows the kind of %s %s: %s', (method, url, isKnown) => {
    expect(parseKubeRequest(method, url).isKnown).toBe(isKnown);
  });

  it.each([
    ['POST', '/apis/batch/v1/namespaces/shop/cronjobs', true],
    ['PATCH', '/api/v1/persistentvolumes/a', true],
    ['PATCH', `${POD}/ephemeralcontainers`, true],
    ['POST', '/apis/example.com/v1/namespaces/shop/widgets', true],
    ['PUT', '/apis/apps/v1/namespaces/shop/deployments/web/scale', false],
    ['POST', `${POD}/eviction`, false],
    ['POST', '/api/v1/namespaces/shop/configmaps', false],
    ['DELETE', POD, false],
    ['GET', POD, false],
  ])('has a body that can hold pods: %s %s: %s', (method, url, holdsPods) => {
    expect(parseKubeRequest(method, url).holdsPods).toBe(holdsPods);
  });

  it.each([
    ['GET', '/api/v1/pods?watch=1', undefined, true],
    ['GET', `${POD}/log?follow=true`, undefined, true],
    ['GET', `${POD}/log`, undefined, false],
    ['GET', `${POD}/exec?command=sh`, 'websocket', true],
    ['GET', '/api/v1/pods', undefined, false],
  ])('streams: %s %s %s: %s', (method, url, upgrade, isStream) => {
    expect(parseKubeRequest(method, url, upgrade).isStream).toBe(isStream);
  });
});

describe('the address for the API server', () => {
  it.each([
    ['/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=kubectl', undefined],
    ['/api/v1/namespaces/shop/services/https:web:443/proxy/a/b/', undefined],
    [`${POD}/log?container=main&follow=true`, undefined],
    ['/apis/apps/v1/', undefined],
    ['/api/v1/namespaces', undefined],
    ['/api/v1/namespaces/shop', undefined],
    ['/api/v1/namespaces/shop/status', undefined],
    // The server knows no namespace in a namespace; the permission for shop must not reach other.
    ['/api/v1/namespaces/shop/namespaces', undefined],
    ['/api/v1/namespaces/shop/namespaces/other', undefined],
    ['/apis/servicebus.azure.com/v1/namespaces/shop/namespaces/queues', undefined],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node',
    ],
    [
      '/api/v1/namespaces/shop/pods?labelSelector=a+in+(b%2Cc)',
      '/api/v1/namespaces/shop/pods?labelSelector=a+in+%28b%2Cc%29',
    ],
  ])('is the one that was judged: %s', (url, target) => {
    expect(parseKubeRequest('GET', url).target).toBe(target ?? url);
  });
});

describe('an address with more than one meaning', () => {
  it.each([
    ['GET', 'api/v1/pods'],
    ['GET', '//api/v1/pods'],
    ['GET', '/api//v1/pods'],
    ['GET', '/api/v1/pods/'],
    ['GET', '/api/v1/pods/?watch=true'],
    ['GET', '/api/v1/namespaces/shop/../pods'],
    ['GET', '/api/v1/namespaces/shop/%2e%2e/secrets'],
    ['GET', '/api/v1/namespaces/shop/pods%2Fweb-1/exec'],
    ['GET', '/api/v1/namespaces/shop/pods/web-1%2Fexec'],
    ['GET', '/api/v1/namespaces/shop/pods/web%252d1'],
    ['GET', `${POD}/proxy/a%2fb`],
    ['GET', `${POD}/proxy/../exec`],
    ['GET', `${POD}/proxy//exec`],
    ['GET', '/api/v1/namespaces/shop/pods\\web'],
    ['GET', '/api/v1/namespaces/shop/%70ods'],
    ['GET', '/api/v1/namespaces/shop/Pods'],
    ['GET', '/API/v1/namespaces/shop/pods'],
    ['GET', '/api/V1/pods'],
    ['GET', '/api/v1/namespaces/Shop/pods'],
    ['GET', '/api/v1/namespaces/shop/pods/web-1/Exec'],
    ['GET', '/apis/Apps/v1/deployments'],
    ['GET', `${POD}/log/more`],
    ['GET', '/api/v1/namespaces/shop/status/more'],
    ['GET', '/api/v1/watch/pods'],
    ['GET', '/api/v1/proxy/nodes/n1'],
    ['GET', '/api/v1/pods?watch'],
    ['GET', '/api/v1/pods?watch=yes'],
    ['GET', '/api/v1/pods?watch=false&watch=true'],
    ['GET', '/api/v1/pods?limit=5;watch=true'],
    ['GET', '/api/v1/pods?limit=%zz'],
    ['GET', '/api/v1/pods#x'],
    ['GET', '/api/v1/pods\u0000'],
    ['GET', `/api/v1/pods?a=${'x'.repeat(40_000)}`],
    ['GET', '/metrics'],
    ['GET', '/logs/'],
    ['GET', '/debug/pprof/'],
    ['GET', '/versions'],
    ['POST', '/version'],
    ['OPTIONS', '/api/v1/pods'],
    ['CONNECT', '/api/v1/pods'],
    ['TRACE', '/api/v1/pods'],
    ['get', '/api/v1/pods'],
  ])('is refused with a sentence: %s %s', (method, url) => {
    expect(() => parseKubeRequest(method, url)).toThrow(UnclearRequest);
    expect(() => parseKubeRequest(method, url)).toThrow(/\.$/);
  });

  it.each([
    ['GET', `${POD}/exec?command=sh`, undefined],
    ['DELETE', `${POD}/exec`, 'websocket'],
    ['GET', '/api/v1/pods?watch=true', 'websocket'],
    ['GET', '/version', 'websocket'],
    ['GET', `${POD}/exec`, 'h2c'],
    ['GET', `${POD}/exec`, 'websocket, spdy/3.1'],
    [
      'GET',
      '/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/b/vnc',
      'websocket',
    ],
  ])('is refused for its upgrade: %s %s %s', (method, url, upgrade) => {
    expect(() => parseKubeRequest(method, url, upgrade)).toThrow(UnclearRequest);
  });
});
