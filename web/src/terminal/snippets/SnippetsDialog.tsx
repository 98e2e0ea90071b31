import { ActionIcon, Button, Group, Loader, Modal, Text, TextInput } from '@mantine/core';
import { snippet } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { api } from '../../kit/api.ts';
import { isComposing } from '../../kit/composing.ts';
import { askToDelete } from '../../kit/dialogs/confirm.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { IconPencil, IconPlus, IconTrash } from '../../kit/icons.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import { SnippetForm } from './SnippetForm.tsx';
import { SnippetInsert } from './SnippetInsert.tsx';
import styles from './Snippets.module.css';
import type { Snippet } from './snippet-text.ts';
import { words } from './words.ts';

const PATH = `${snippet.path}/`;
const KEY = ['snippets'];

/** View of the dialog: the list, the form of a snippet, or its insertion. */
type View =
  | { readonly kind: 'list' }
  | { readonly kind: 'form'; readonly snippet: Snippet | undefined }
  | { readonly kind: 'insert'; readonly snippet: Snippet };

interface Props {
  /** The terminal that receives the snippet. */
  readonly session: SessionTab | undefined;
  readonly onClose: () => void;
}

/** The user's snippets: searches, inserts, creates, changes and deletes them. */
export function SnippetsDialog({ session, onClose }: Props) {
  const [view, setView] = useState<View>({ kind: 'list' });
  const client = useQueryClient();
  const back = () => setView({ kind: 'list' });
  const changed = async () => {
    await client.invalidateQueries({ queryKey: KEY });
    back();
  };
  const close = () => {
    onClose();
    session?.view.focus();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={t(words.title)}
      size="lg"
      returnFocus={false}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {view.kind === 'list' && (
        <SnippetList
          onInsert={(chosen) => setView({ kind: 'insert', snippet: chosen })}
          onEdit={(chosen) => setView({ kind: 'form', snippet: chosen })}
          onDeleted={changed}
        />
      )}
      {view.kind === 'form' && (
        <SnippetForm snippet={view.snippet} onSaved={changed} onCancel={back} />
      )}
      {view.kind === 'insert' && (
        <SnippetInsert snippet={view.snippet} session={session} onBack={back} onDone={close} />
      )}
    </Modal>
  );
}

interface ListProps {
  readonly onInsert: (snippet: Snippet) => void;
  readonly onEdit: (snippet: Snippet | undefined) => void;
  readonly onDeleted: () => Promise<void>;
}

/** Changes or deletes one snippet. */
function SnippetTools({
  snippet: one,
  onEdit,
  onDeleted,
}: Omit<ListProps, 'onInsert'> & { readonly snippet: Snippet }) {
  return (
    <Group gap={4} wrap="nowrap" className={styles.tool ?? ''}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={t(words.editNamed, { name: one.name })}
        onClick={() => onEdit(one)}
      >
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="red"
        size={28}
        aria-label={t(words.removeNamed, { name: one.name })}
        onClick={() =>
          askToDelete(one.name, async () => {
            await api.delete(`${PATH}${one.id}/`, { quiet: true });
            await onDeleted();
          })
        }
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}

function SnippetList({ onInsert, onEdit, onDeleted }: ListProps) {
  const id = useId();
  const [search, setSearch] = useState('');
  const [position, setPosition] = useState(0);
  const { data, isError } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<readonly Snippet[]>(PATH, { signal, quiet: true }),
  });
  const parts = search.toLowerCase().split(/\s+/);
  const matches = (data ?? []).filter(({ name, content }) =>
    parts.every((part) => `${name}\n${content}`.toLowerCase().includes(part)),
  );
  const active = matches[Math.min(position, matches.length - 1)];
  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') setPosition(Math.min(position + 1, matches.length - 1));
    else if (event.key === 'ArrowUp') setPosition(Math.max(position - 1, 0));
    else if (event.key === 'Enter' && active) onInsert(active);
    else return;
    event.preventDefault();
  }
  return (
    <>
      <Group gap="xs" mb="xs" wrap="nowrap">
        <TextInput
          flex={1}
          data-autofocus
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={active && `${id}-${active.id}`}
          aria-label={t(words.search)}
          placeholder={t(words.search)}
          autoComplete="off"
          spellCheck={false}
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            setPosition(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Button leftSection={<IconPlus size={16} />} onClick={() => onEdit(undefined)}>
          {t(words.create)}
        </Button>
      </Group>
      {!data && !isError && <Loader size={20} />}
      {isError && <Text c="var(--mantine-color-error)">{t(words.failed)}</Text>}
      {data && matches.length === 0 && (
        <Text c="dimmed">{t(data.length === 0 ? words.none : words.nothingFound)}</Text>
      )}
      <div className={styles.rows}>
        <div
          id={id}
          role="listbox"
          aria-label={t(words.title)}
          className={styles.list}
          hidden={matches.length === 0}
        >
          {matches.map((one) => (
            <div
              key={one.id}
              id={`${id}-${one.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={one === active}
              className={styles.option}
              ref={(element) => {
                if (one === active) element?.scrollIntoView({ block: 'nearest' });
              }}
              onPointerUp={() => onInsert(one)}
            >
              <b>{one.name}</b>
              <span className={styles.content}>{one.content}</span>
            </div>
          ))}
        </div>
        <div>
          {matches.map((one) => (
            <SnippetTools key={one.id} snippet={one} onEdit={onEdit} onDeleted={onDeleted} />
          ))}
        </div>
      </div>
      <Text fz="xs" c="dimmed" mt="xs">
        {t(words.keys)}
      </Text>
    </>
  );
}
