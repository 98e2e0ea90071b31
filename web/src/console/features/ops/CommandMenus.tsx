import { Button, Group, Menu } from '@mantine/core';
import { type Row, snippet as snippets } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconBookmark, IconHistory, IconPlus } from '../../../kit/icons.ts';
import { type Execution, PATH } from './useExecution.ts';
import { words } from './words.ts';

type Snippet = Row<typeof snippets>;

/** Maximum number of history entries. */
const MOST = 15;
const SNIPPETS = ['snippets'];
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 80);

interface Props {
  readonly command: string;
  readonly onPick: (command: string) => void;
}

function History({ onPick }: Pick<Props, 'onPick'>) {
  const { data, isPending } = useQuery({
    queryKey: ['execution', 'history'],
    queryFn: () =>
      api.get<{ readonly results: readonly Execution[] }>(PATH, {
        query: { limit: 50, fields: 'id,command' },
      }),
  });
  const commands = [...new Set(data?.results.map(({ command }) => command))].slice(0, MOST);
  if (commands.length === 0)
    return <Menu.Item disabled>{t(isPending ? common.loading : words.noHistory)}</Menu.Item>;
  return commands.map((command) => (
    <Menu.Item key={command} className="mono" onClick={() => onPick(command)}>
      {oneLine(command)}
    </Menu.Item>
  ));
}

function Snippets({ command, onPick }: Props) {
  const client = useQueryClient();
  const { data, isPending } = useQuery({
    queryKey: SNIPPETS,
    queryFn: () => api.get<readonly Snippet[]>(`${snippets.path}/`),
  });
  async function save() {
    await api.post(`${snippets.path}/`, { name: oneLine(command), content: command });
    await client.invalidateQueries({ queryKey: SNIPPETS });
    toast.success(t(words.snippetSaved));
  }
  return (
    <>
      {data?.map(({ id, name, content }) => (
        <Menu.Item key={id} onClick={() => onPick(content)}>
          {name}
        </Menu.Item>
      ))}
      {!data?.length && (
        <Menu.Item disabled>{t(isPending ? common.loading : words.noSnippets)}</Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item
        leftSection={<IconPlus size={14} />}
        disabled={command.trim() === ''}
        onClick={() => void save().catch(() => undefined)}
      >
        {t(words.saveSnippet)}
      </Menu.Item>
    </>
  );
}

/** Menus of earlier commands and of the user's snippets, which the web terminal shares. */
export function CommandMenus(props: Props) {
  const [opened, setOpened] = useState<'history' | 'snippets'>();
  const change = (name: 'history' | 'snippets') => (isOpen: boolean) =>
    setOpened(isOpen ? name : undefined);
  return (
    <Group gap="xs">
      <Menu
        opened={opened === 'history'}
        onChange={change('history')}
        position="bottom-end"
        withinPortal
      >
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconHistory size={14} />}>
            {t(words.history)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: 'auto', maxWidth: 'min(560px, 92vw)' }}>
          {opened === 'history' && <History onPick={props.onPick} />}
        </Menu.Dropdown>
      </Menu>
      <Menu
        opened={opened === 'snippets'}
        onChange={change('snippets')}
        position="bottom-end"
        withinPortal
      >
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconBookmark size={14} />}>
            {t(words.snippets)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: 'auto', maxWidth: 'min(560px, 92vw)' }}>
          {opened === 'snippets' && <Snippets {...props} />}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
