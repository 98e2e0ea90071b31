import {
  commandStorage,
  type Language,
  type LocalText,
  Permission,
  replayStorage,
  say,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { certificateSentence, PEER } from '../../platform/certificate-problem.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Recordings } from '../../platform/storage/recordings.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { type CommandIndexes, commandStorageById } from '../sessions/index.ts';
import { remarksOn } from './kept-content.ts';
import { bucketOf, storageById } from './replay-storages.ts';

interface TestResult {
  readonly is_valid: boolean;
  readonly msg: string;
}

export interface StorageRouteOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly engines: Engines;
  readonly recordings: Pick<Recordings, 'tryOut'>;
  readonly indexes: CommandIndexes;
}

const BETWEEN: LocalText = { en: '. ', zh: '。' };

/** Runs a test, which may return remarks, and describes its result. */
async function resultOf(
  language: Language,
  run: () => Promise<readonly LocalText[]>,
): Promise<TestResult> {
  try {
    const texts = [{ en: 'Test Success', zh: '测试成功' }, ...(await run())];
    const msg = texts.map((text) => say(text, language)).join(say(BETWEEN, language));
    return { is_valid: true, msg };
  } catch (error) {
    const reason =
      certificateSentence(error, PEER.storage) ??
      (error instanceof Error ? error.message : String(error));
    return {
      is_valid: false,
      msg: say({ en: 'The test failed: {reason}', zh: '测试失败：{reason}' }, language, { reason }),
    };
  }
}

/** Tests storages with a real object or document. */
export function mountStorageTest(
  app: FastifyInstance,
  { db, vault, engines, recordings, indexes }: StorageRouteOptions,
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/command-storages/:id/test-connective/',
    access: Permission.SUPER | Permission.ADMIN,
    area: 'operation',
    summary: 'Keep a document in a command storage, read it and delete it.',
    answer: samples<TestResult>(
      { is_valid: true, msg: 'Test Success' },
      {
        is_valid: false,
        msg: 'The test failed: 192.0.2.9:9200: connect ECONNREFUSED 192.0.2.9:9200',
      },
    ),
    async handler(context): Promise<TestResult> {
      const { id } = await engineOf(engines, commandStorage).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const row = await commandStorageById(db, String(id));
      return resultOf(context.language, async () => {
        if (row?.type === 'es') await indexes.of(row).tryOut();
        return [];
      });
    },
  });
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/replay-storages/:id/test-connective/',
    access: Permission.SUPER | Permission.ADMIN,
    area: 'operation',
    summary: 'Put a small object into a storage, read it, list it and delete it.',
    answer: samples<TestResult>(
      { is_valid: true, msg: 'Test Success' },
      { is_valid: false, msg: 'The test failed: connect ECONNREFUSED 192.0.2.9:9000' },
    ),
    async handler(context): Promise<TestResult> {
      const { id } = await engineOf(engines, replayStorage).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const row = await storageById(db, String(id));
      const bucket = row && bucketOf(row, vault);
      return resultOf(context.language, async () => {
        return bucket ? remarksOn(await recordings.tryOut(bucket)) : [];
      });
    },
  });
}
