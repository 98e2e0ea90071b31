import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
// Sets how pg reads the types of PostgreSQL.
import '../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import { checkStatements, type Report } from './check.ts';
import { isProduct, isUnknown } from './product.ts';
import { SourceTree } from './source-tree.ts';

/**
 * Number of statements that cannot be prepared, as their texts are not constant. It only falls,
 * except for a read of any list, and for the documents of deleted objects of any resource.
 */
const UNCHECKED = 34;
/** Number of promises that no columns were compared with. The same holds for it. */
const UNCOMPARED = 20;

const WRONG = 'server/src/testing/sql/wrong-promises.ts';

let kept: TestDatabase;
/** Not a connection of the program: pg describes no statement in pipeline mode. */
let client: pg.Client;
let sources: SourceTree;
beforeAll(async () => {
  kept = await createTestDatabase();
  client = new pg.Client({ connectionString: kept.url });
  await client.connect();
  sources = new SourceTree('server/tsconfig.json', (file) => isProduct(file) || file === WRONG);
});
afterAll(async () => {
  sources.close();
  await client.end();
  await kept.drop();
});

const check = (isChecked: (file: string) => boolean): Promise<Report> =>
  checkStatements(sources, isChecked, client);

it('reports missing columns, wrong types, nulls and refused statements', async () => {
  const { problems } = await check((file) => file === WRONG);
  expect(problems.map((problem) => problem.replace(`${WRONG}:`, ''))).toEqual([
    '7 title is promised, but the statement does not return it',
    '8 id is promised as number, but arrives as string',
    '9 amount is promised as number, but arrives as string',
    '10 ids is promised as number[], but arrives as string[]',
    '11 last_login is promised as Date, but can be null',
    '12 column "nothing" does not exist',
    '15 column "is_activ" does not exist',
    '13 count is promised as string, but arrives as number',
  ]);
});

it('keeps every promised type of a row', async () => {
  const { statements, promises, compared, problems, unchecked } = await check(isProduct);
  expect(problems.filter(isUnknown)).toEqual([]);
  expect(unchecked.length, `${statements} statements, unchecked:\n${unchecked.join('\n')}`).toBe(
    UNCHECKED,
  );
  expect(promises - compared).toBe(UNCOMPARED);
});
