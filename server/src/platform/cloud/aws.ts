import type { EC2Client } from '@aws-sdk/client-ec2';
import { type Ask, patiently } from './ask.ts';
import {
  type Cloud,
  type CloudAccess,
  CloudError,
  type CloudProblem,
  type Instance,
  pagesOf,
  problemOfStatus,
} from './cloud.ts';

const PAGE = 100;
/** Domain and home region of each partition. The home region lists the other regions. */
const PARTITIONS = {
  aws_china: { suffix: 'amazonaws.com.cn', home: 'cn-north-1' },
  aws_international: { suffix: 'amazonaws.com', home: 'us-east-1' },
} as const;
/** AWS lists deleted instances for another hour. */
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

/** Beginning of a valid EC2 response. */
const OF_EC2 = /<Describe(Regions|Instances)Response\b/;

/** Request that the AWS client passes to its request handler. */
interface HttpRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** Makes the AWS client send requests through `ask`, with limits and checked addresses. */
const handlerOf = (ask: Ask) => ({
  async handle({ method, protocol, hostname, port, path, headers, body }: HttpRequest) {
    const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}${path}`);
    const answer = await ask({
      method: method === 'GET' ? 'GET' : 'POST',
      url,
      headers,
      body: typeof body === 'string' ? body : '',
    });
    // The AWS client reads any other XML as an empty list, which would mean that all instances were
    // deleted.
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

/**
 * Client of AWS in China and elsewhere: `DescribeRegions` and `DescribeInstances` of EC2. Loads the
 * AWS library on first use.
 */
export function createAws(access: CloudAccess, ask: Ask, signal: AbortSignal): Cloud {
  const { suffix, home } =
    PARTITIONS[access.provider === 'aws_china' ? 'aws_china' : 'aws_international'];
  const clients = new Map<string, EC2Client>();
  const load = () => import('@aws-sdk/client-ec2');
  const clientOf = async (region: string): Promise<EC2Client> => {
    const { EC2Client } = await load();
    const known = clients.get(region);
    if (known) return known;
    const client = new EC2Client({
      region,
      // Set explicitly, because the AWS client would read an endpoint from the environment.
      endpoint: access.endpoint || `https://ec2.${region}.${suffix}`,
      credentials: { accessKeyId: access.keyId, secretAccessKey: access.secret },
      maxAttempts: 1,
      requestHandler: handlerOf(ask) as never,
    });
    clients.set(region, client);
    return client;
  };
  const send = <T>(region: string, work: (client: EC2Client) => Promise<T>): Promise<T> =>
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
      const { Regions: regions = [] } = await send(home, (client) =>
        client.send(new DescribeRegionsCommand({})),
      );
      return regions.flatMap(({ RegionName: id }) => (id ? [{ id, name: id }] : []));
    },
    instances: (region) =>
      pagesOf(async (token) => {
        const { DescribeInstancesCommand } = await load();
        const command = new DescribeInstancesCommand({
          MaxResults: PAGE,
          ...(token && { NextToken: token }),
        });
        const { Reservations: groups = [], NextToken: next } = await send(region, (client) =>
          client.send(command),
        );
        const existing = groups
          .flatMap(({ Instances: members = [] }) => members)
          .filter(({ State: state }) => !GONE.has(state?.Name ?? ''));
        const instances = existing.map(
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
