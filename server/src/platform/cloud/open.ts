import { REGION_PATTERN } from '@sallyport/contract';
import type { AddressPolicy } from '../address-policy.ts';
import { createAsk } from './ask.ts';
import { type Cloud, type CloudAccess, CloudError } from './cloud.ts';

export interface CloudOptions {
  readonly policy: AddressPolicy;
  /** Aborts pending requests. */
  readonly signal: AbortSignal;
}

/** Creates the client of a provider and loads its code. Sends no request yet. */
export async function openCloud(
  access: CloudAccess,
  { policy, signal }: CloudOptions,
): Promise<Cloud> {
  const ask = createAsk({ policy, certificate: access.certificate, signal });
  const cloud = await createFor(access, ask, signal);
  return {
    regions: async (language) =>
      (await cloud.regions(language)).filter(({ id }) => REGION_PATTERN.test(id)),
    instances(region) {
      // The region becomes part of a host name.
      if (!REGION_PATTERN.test(region)) throw new CloudError('region_closed', region);
      return cloud.instances(region);
    },
  };
}

async function createFor(
  access: CloudAccess,
  ...rest: [ask: ReturnType<typeof createAsk>, signal: AbortSignal]
): Promise<Cloud> {
  switch (access.provider) {
    case 'aliyun':
      return (await import('./aliyun.ts')).createAliyun(access, ...rest);
    case 'qcloud':
      return (await import('./tencent.ts')).createTencent(access, ...rest);
    case 'huaweicloud':
      return (await import('./huawei.ts')).createHuawei(access, ...rest);
    case 'aws_china':
    case 'aws_international':
      return (await import('./aws.ts')).createAws(access, ...rest);
  }
}
