import { MantineProvider } from '@mantine/core';
import { label } from '@sallyport/contract';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ResourceTable } from './ResourceTable.tsx';

interface Named {
  readonly id: string;
  readonly name: string;
}

const NOTHING = () => undefined;

function drawn(rows: readonly Named[]): string {
  return renderToString(
    <MantineProvider>
      <ResourceTable<Named>
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

it('draws plain rows without anything to unfold, and announces the sort order', () => {
  const html = drawn([{ id: '1', name: 'plain' }]);
  expect(html).not.toContain('aria-expanded');
  expect(html).toContain('aria-sort="descending"');
  expect(html).toContain('aria-label="do plain"');
});
