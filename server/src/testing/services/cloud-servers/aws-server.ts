import type { CloudProvider } from '@sallyport/contract';
import {
  type CloudAnswer,
  type CloudServer,
  hmac,
  isThrottled,
  orderedQuery,
  same,
  sha256,
  signedLines,
  startCloudServer,
} from './cloud-server.ts';

const XML = 'text/xml;charset=UTF-8';
const NAMESPACE = 'http://ec2.amazonaws.com/doc/2016-11-15/';
const refused = (status: number, code: string): CloudAnswer => ({
  status,
  type: XML,
  body: `<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>${code}</Code><Message>said by the provider: ${code}</Message></Error></Errors><RequestID>ea966190-f9aa-478e-9ede-000000000001</RequestID></Response>`,
});
const good = (action: string, inside: string): CloudAnswer => ({
  status: 200,
  type: XML,
  body: `<?xml version="1.0" encoding="UTF-8"?><${action}Response xmlns="${NAMESPACE}"><requestId>fdcdcab1-ae5c-489e-9c33-000000000001</requestId>${inside}</${action}Response>`,
});
const escaped = (text: string) => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** EC2 of Amazon, version 2016-11-15, signature version 4. */
export const startAwsServer = (
  provider: CloudProvider = 'aws_international',
): Promise<CloudServer> =>
  startCloudServer(provider, (server, { method, url, headers, body }) => {
    const [, keyId = '', date = '', region = '', names = '', signature = ''] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([a-z0-9-]+)\/ec2\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    if (keyId !== server.keyId) return refused(401, 'AuthFailure');
    const canonical = [
      method,
      url.pathname,
      orderedQuery(url),
      signedLines(names, headers),
      names,
      sha256(body),
    ].join('\n');
    const toSign = [
      'AWS4-HMAC-SHA256',
      headers['x-amz-date'],
      `${date}/${region}/ec2/aws4_request`,
      sha256(canonical),
    ].join('\n');
    const key = hmac(hmac(hmac(hmac(`AWS4${server.secret}`, date), region), 'ec2'), 'aws4_request');
    if (
      !['host', 'x-amz-date'].every((name) => names.split(';').includes(name)) ||
      !same(hmac(key, toSign).toString('hex'), signature)
    )
      return refused(403, 'SignatureDoesNotMatch');
    const form = new URLSearchParams(body);
    const action = form.get('Action') ?? '';
    server.requests.push(`${action} ${region}`);
    if (form.get('Version') !== '2016-11-15') return refused(400, 'NoSuchVersion');
    if (isThrottled(server)) return refused(503, 'RequestLimitExceeded');
    if (action === 'DescribeRegions') {
      const items = [...server.machines.keys()].map(
        (id) =>
          `<item><regionName>${id}</regionName><regionEndpoint>ec2.${id}.amazonaws.com</regionEndpoint></item>`,
      );
      return good(action, `<regionInfo>${items.join('')}</regionInfo>`);
    }
    if (action !== 'DescribeInstances') return refused(400, 'InvalidAction');
    if (!server.mayRead) return refused(403, 'UnauthorizedOperation');
    const machines = server.machines.get(region);
    // AWS reports a closed region like a wrong key.
    if (!machines || server.closed.has(region)) return refused(401, 'AuthFailure');
    const size = Number(form.get('MaxResults'));
    if (!(size >= 5 && size <= 1_000)) return refused(400, 'InvalidParameterValue');
    const from = Number(form.get('NextToken') ?? 0);
    const next =
      server.mode === 'endless' ? '1' : from + size < machines.length ? String(from + size) : '';
    const items = machines.slice(from, from + size).map(
      ({
        id,
        name,
        privateIp,
        publicIp,
        isWindows,
        isGone,
      }) => `<item><reservationId>r-${id}</reservationId><instancesSet><item>
        <instanceId>${id}</instanceId>
        <instanceState>
          <code>16</code><name>${isGone ? 'terminated' : 'running'}</name>
        </instanceState>
        ${privateIp && `<privateIpAddress>${privateIp}</privateIpAddress>`}
        ${publicIp && `<ipAddress>${publicIp}</ipAddress>`}
        ${isWindows ? '<platform>windows</platform>' : ''}
        <tagSet>
          <item><key>Stage</key><value>test</value></item>
          <item><key>Name</key><value>${escaped(name)}</value></item>
        </tagSet></item></instancesSet></item>`,
    );
    return good(
      action,
      `<reservationSet>${items.join('')}</reservationSet>${next && `<nextToken>${next}</nextToken>`}`,
    );
  });
