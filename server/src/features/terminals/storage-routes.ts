import { Permission, replayStorage, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { bucketOf, storageById } from './elsewhere.ts';

interface Tried {
  readonly is_valid: boolean;
  readonly msg: string;
}

export interface StorageRouteOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly engines: Engines;
  readonly recordings: Pick<Recordings, 'tryOut'>;
}

/** Tries a storage out with a real object. */
export function mountStorageTest(app: FastifyInstance, { db, vault, engines, recordings }: StorageRouteOptions): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/replay-storages/:id/test-connective/',
    access: Permission.SUPER | Permission.ADMIN,
    summary: 'Put a small object into a storage, read it and delete it.',
    answer: samples<Tried>(
      { is_valid: true, msg: 'The test was successful.' },
      { is_valid: false, msg: 'The test failed: connect ECONNREFUSED 192.0.2.9:9000' },
    ),
    async handler(context): Promise<Tried> {
      const { id } = await engineOf(engines, replayStorage).reader.retrieve(parameter(context, 'id'), context);
      const row = await storageById(db, String(id));
      const bucket = row && bucketOf(row, vault);
      try {
        if (bucket) await recordings.tryOut(bucket);
        return { is_valid: true, msg: say({ en: 'The test was successful.', zh: '测试成功' }, context.language) };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { is_valid: false, msg: say({ en: 'The test failed: {reason}', zh: '测试失败：{reason}' }, context.language, { reason }) };
      }
    },
  });
}
