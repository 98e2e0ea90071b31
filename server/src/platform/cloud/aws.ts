import type { EC2Client } from '@aws-sdk/client-ec2';
import type { Ask } from './ask.ts';
import {
  type Cloud,
  type CloudAccess,
  CloudError,
  type CloudProblem,
  type Instance,
  pagesOf,
  problemOfStatus,
} from './cloud.ts';
import { patiently } from './patience.ts';

const PAGE = 100;
/** Of each partition: the end of its addresses, and the region that is asked for the others. */
const PARTITIONS = {
  aws_china: { suffix: 'amazonaws.com.cn', home: 'cn-north-1' },
  aws_international: { suffix: 'amazonaws.com', home: 'us-east-1' },
} as const;
/** Instances that are there no more are listed for an hour. */
const GONE = new Set(['terminated', 'shutting-down']);

const PROBLEMS: Readonly<Record<string, CloudProblem>> = {
  AuthFailure: 'wrong_key',
  InvalidClientTokenId: 'wrong_key',
  SignatureDoesNotMatch: 'wrong_key',
  IncompleteSignature: 'wrong_key',
  UnauthorizedOperation: 'no_right',
  AccessDenied: 'no_right',
  OptInRequired: 'region_closed',
  Blocked: 'region_closed',
  RequestLimitExceeded: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  Unavailable: 'unavailable',
  ServiceUnavailable: 'unavailable',
  InternalError: 'unavailable',
  InternalFailure: 'unavailable',
};

/** How its answers begin. */
const OF_EC2 = /<Describe(Regions|Instances)Response\b/;

/** What the client gives to the part of it that sends requests. */
interface HttpRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** Has the client of Amazon send its requests as all of ours are sent: bounded, and to addresses that were checked. */
const handlerOf = (ask: Ask) => ({
  async handle({ method, protocol, hostname, port, path, headers, body }: HttpRequest) {
    const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}${path}`);
    const answer = await ask({
      method: method === 'GET' ? 'GET' : 'POST',
      url,
      headers,
      body: typeof body === 'string' ? body : '',
    });
    // To the client anything that is XML is an answer, with an empty list: that would mean that all machines are gone.
    if (answer.status === 200 && !OF_EC2.test(answer.body.toString('utf8', 0, 512)))
      throw new CloudError('unexpected', 'no list');
    return {
      response: { statusCode: answer.status, headers: { ...answer.headers }, body: answer.body },
    };
  },
});

function asCloudError(error: unknown): CloudError {
  if (error instanceof CloudError) return error;
  const { name = '', $metadata } = (error ?? {}) as {
    readonly name?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? 0;
  return new CloudError(PROBLEMS[name] ?? problemOfStatus(status), name || `HTTP ${status}`);
}

/** AWS, in China and elsewhere: `DescribeRegions` and `DescribeInstances` of EC2, by the client of Amazon, which is loaded at the first use. */
export function createAws(access: CloudAccess, ask: Ask, signal: AbortSignal): Cloud {
  const { suffix, home } =
    PARTITIONS[access.provider === 'aws_china' ? 'aws_china' : 'aws_international'];
  const clients = new Map<string, EC2Client>();
  const load = () => import('@aws-sdk/client-ec2');
  const clientOf = async (region: string): Promise<EC2Client> => {
    const { EC2Client } = await load();
    const known = clients.get(region);
    if (known) return known;
    const made = new EC2Client({
      region,
      // Given, so that nothing in the environment of the server leads elsewhere.
      endpoint: access.endpoint || `https://ec2.${region}.${suffix}`,
      credentials: { accessKeyId: access.keyId, secretAccessKey: access.secret },
      maxAttempts: 1,
      requestHandler: handlerOf(ask) as never,
    });
    clients.set(region, made);
    return made;
  };
  const asking = <T>(region: string, work: (client: EC2Client) => Promise<T>): Promise<T> =>
    patiently(async () => {
      try {
        return await work(await clientOf(region));
      } catch (error) {
        throw asCloudError(error);
      }
    }, signal);

  return {
    async regions() {
      const { DescribeRegionsCommand } = await load();
      const { Regions: found = [] } = await asking(home, (client) =>
        client.send(new DescribeRegionsCommand({})),
      );
      return found.flatMap(({ RegionName: id }) => (id ? [{ id, name: id }] : []));
    },
    instances: (region) =>
      pagesOf(async (token) => {
        const { DescribeInstancesCommand } = await load();
        const wanted = new DescribeInstancesCommand({
          MaxResults: PAGE,
          ...(token && { NextToken: token }),
        });
        const { Reservations: groups = [], NextToken: next } = await asking(region, (client) =>
          client.send(wanted),
        );
        const found = groups
          .flatMap(({ Instances: members = [] }) => members)
          .filter(({ State: state }) => !GONE.has(state?.Name ?? ''));
        const instances = found.map(
          ({
            InstanceId: id = '',
            Tags: tags = [],
            PrivateIpAddress: inner = '',
            PublicIpAddress: outer = '',
            Platform: platform,
          }): Instance => ({
            id,
            name: tags.find(({ Key: key }) => key === 'Name')?.Value ?? '',
            region,
            privateIp: inner,
            publicIp: outer,
            isWindows: /^windows/i.test(platform ?? ''),
          }),
        );
        return { instances, next };
      }),
  };
}
