import { asset, commandFilter, userGroup } from '@sallyport/contract';
import { systemCaller } from '../../server/src/platform/actor.ts';
import type { Program } from '../../server/src/program.ts';
import { engineOf } from '../../server/src/resources/engines.ts';
import { inLanguage } from '../language.ts';

/** Objects that were deleted lately, and that administrators can restore. */
const DELETED = [
  {
    resource: asset,
    values: {
      hostname: 'sh-legacy-01',
      ip: '198.18.1.90',
      platform: 'Linux',
      protocols: ['ssh/22'],
    },
  },
  { resource: userGroup, values: { name: '外包团队 2025' } },
  { resource: commandFilter, values: { name: '旧磁盘命令 · Old disk commands' } },
] as const;

/** Deletes objects, so that *Recently deleted* shows some. */
export async function deleteObjects({ engines }: Pick<Program, 'engines'>): Promise<void> {
  const caller = systemCaller('System');
  for (const { resource, values } of DELETED) {
    const { writer } = engineOf(engines, resource);
    const { id } = await writer.create(inLanguage(values), caller);
    await writer.remove([String(id)], caller);
  }
}
