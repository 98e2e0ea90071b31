import { expect, it } from 'vitest';
import { readObjects } from './object-table.ts';
import { objectYaml } from './object-yaml.ts';
import { podContainers } from './pod-containers.ts';

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

it('reads a limited number of columns for each row', () => {
  const list = readObjects({
    columnDefinitions: many(2000, (index) => ({ name: `column ${index}` })),
    rows: many(3, (index) => ({
      cells: ['ready'],
      object: { metadata: { name: `web-${index}` } },
    })),
  });
  expect(list?.columns).toHaveLength(50);
  expect(list?.rows.map(({ cells }) => [cells.length, cells[0]])).toEqual(
    many(3, () => [50, 'ready']),
  );
});

it('reads each status of a pod once, however many containers it has', () => {
  let reads = 0;
  const containerStatuses = many(100, (index) => ({
    get name() {
      reads += 1;
      return `main-${index}`;
    },
    restartCount: index,
  }));
  const containers = podContainers({
    spec: { containers: many(100, (index) => ({ name: `main-${index}` })) },
    status: { containerStatuses },
  });
  expect(containers.map(({ restarts }) => restarts)).toEqual(many(100, (index) => index));
  expect(reads).toBe(100);
});

it('writes an object with very many values as JSON', () => {
  const secret = { kind: 'Secret', data: Object.fromEntries(many(20_001, (n) => [`k${n}`, 'v'])) };
  const written = JSON.parse(objectYaml(secret, { isSecret: true })) as typeof secret;
  expect(Object.keys(written.data)).toHaveLength(20_001);
  expect(written.data.k20000).toBe('******');
  expect(objectYaml({ kind: 'Pod' }, { isSecret: false })).toBe('kind: Pod\n');
});
