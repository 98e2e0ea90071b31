import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ListToolbar, type ListTools } from './ListToolbar.tsx';

const client = new QueryClient();
const NOTHING = () => undefined;
const ALL: ListTools = { search: true, import: true, export: true, refresh: true };

function draw(tools: ListTools): string {
  return renderToString(
    <MantineProvider>
      <QueryClientProvider client={client}>
        <ListToolbar
          tools={tools}
          left={null}
          dates={null}
          fields={[{ name: 'name', label: '名称' }]}
          search={{ search: '', filters: {} }}
          onSearch={NOTHING}
          views={undefined}
          columns={{
            columns: [],
            visible: [],
            onVisible: NOTHING,
            widths: {},
            onWidth: NOTHING,
            onForget: undefined,
            compact: false,
            onCompact: NOTHING,
          }}
          onOpen={NOTHING}
          onRefresh={NOTHING}
          refreshing={false}
        />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

it.each([
  ['search', 'aria-label="搜索"'],
  ['search', 'aria-label="高级筛选"'],
  ['import', 'aria-label="导入"'],
  ['export', 'aria-label="导出"'],
  ['refresh', 'aria-label="刷新"'],
] as const)('shows the %s of a list, and hides it when switched off', (tool, mark) => {
  expect(draw(ALL)).toContain(mark);
  expect(draw({ ...ALL, [tool]: false })).not.toContain(mark);
});
