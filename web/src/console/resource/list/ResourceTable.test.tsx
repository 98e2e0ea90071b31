import { MantineProvider } from '@mantine/core';
import { label } from '@sallyport/contract';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ResourceTable } from './ResourceTable.tsx';

interface Branch {
  readonly id: string;
  readonly name: string;
  readonly children?: readonly Branch[];
}

const NOTHING = () => undefined;

function drawn(rows: readonly Branch[]): string {
  return renderToString(
    <MantineProvider>
      <ResourceTable<Branch>
        source={label}
        columns={[{ name: 'name' }]}
        rows={rows}
        loading={false}
        skeletonRows={0}
        busy={false}
        compact={false}
        order="-name"
        onOrder={NOTHING}
        actions={() => [{ key: 'a', label: 'do', run: NOTHING }]}
      />
    </MantineProvider>,
  );
}

it('draws rows that carry others as a tree, folded at first', () => {
  const html = drawn([
    { id: '1', name: 'top', children: [{ id: '2', name: 'below' }] },
    { id: '3', name: 'leaf' },
  ]);
  expect(html).toContain('top');
  expect(html).toContain('leaf');
  expect(html).not.toContain('below');
  expect(html.match(/aria-expanded="false"/g)).toHaveLength(1);
});

it('draws plain rows without anything to unfold, and says how they are sorted', () => {
  const html = drawn([{ id: '1', name: 'plain' }]);
  expect(html).not.toContain('aria-expanded');
  expect(html).toContain('aria-sort="descending"');
  expect(html).toContain('aria-label="do plain"');
});
