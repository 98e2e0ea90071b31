import { ActionIcon, Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { isEnter } from '../../../kit/composing.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { IconPencil, IconStar, IconX } from '../../../kit/icons.ts';
import { newId } from '../../../kit/new-id.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { type SavedView, usePreferences } from '../../base/preferences.ts';
import {
  changeToOpen,
  changeToRemove,
  changeToSave,
  MAX_NAME,
  MAX_VIEWS,
  searchOfView,
} from './saved-views.ts';
import styles from './Views.module.css';
import { words } from './words.ts';

/** State of a list that its views save, in addition to the address. */
export interface ViewMenuProps {
  /** The name of the resource. */
  readonly list: string;
  /** The chosen columns; undefined for the default ones. */
  readonly columns: readonly string[] | undefined;
  readonly widths: Readonly<Record<string, number>>;
}

type NamedView = readonly [id: string, view: SavedView];

/** The saved views of a list: open, rename, delete, set the default, and save the current state. */
export function ViewMenu(props: ViewMenuProps) {
  const { list } = props;
  const { preferences } = usePreferences();
  const views = Object.entries(preferences.views?.[list] ?? {}).toSorted(([, one], [, other]) =>
    one.name.localeCompare(other.name),
  );
  return (
    <Stack gap="sm" w={300} maw="100%">
      {views.length === 0 ? (
        <Text fz="sm" c="dimmed">
          {t(words.none)}
        </Text>
      ) : (
        <ul className={styles.views} aria-label={t(words.title)}>
          {views.map(([id, view]) => (
            <ViewItem key={id} list={list} id={id} view={view} views={views} />
          ))}
        </ul>
      )}
      <SaveView {...props} views={views} />
    </Stack>
  );
}

interface ViewItemProps {
  readonly list: string;
  readonly id: string;
  readonly view: SavedView;
  readonly views: readonly NamedView[];
}

/** A saved view, with buttons that make it the default, rename or delete it. */
function ViewItem({ list, id, view, views }: ViewItemProps) {
  const { preferences, save } = usePreferences();
  const path = usePath();
  const go = useGo();
  const [isRenamed, setIsRenamed] = useState(false);
  const isDefault = preferences.default_view?.[list] === id;

  function open() {
    save(changeToOpen(preferences, list, view));
    void go(path, { search: view.search });
  }

  function rename(name: string) {
    const isTaken = views.some(([other, one]) => other !== id && one.name === name);
    if (name && !isTaken) save({ views: { [list]: { [id]: { name } } } });
    setIsRenamed(false);
  }

  return (
    <li>
      {isRenamed ? (
        <TextInput
          className={styles.name}
          size="xs"
          autoFocus
          maxLength={MAX_NAME}
          aria-label={t(words.newName, { name: view.name })}
          defaultValue={view.name}
          onBlur={(event) => rename(event.currentTarget.value.trim())}
          onKeyDown={(event) => isEnter(event) && event.currentTarget.blur()}
        />
      ) : (
        <UnstyledButton
          className={styles.name}
          aria-label={t(words.open, { name: view.name })}
          onClick={open}
        >
          {view.name}
          {isDefault && <span className={styles.mark}>{t(words.isDefault)}</span>}
        </UnstyledButton>
      )}
      <ActionIcon
        variant="subtle"
        color={isDefault ? 'teal' : 'gray'}
        size={24}
        aria-pressed={isDefault}
        aria-label={t(words.makeDefault, { name: view.name })}
        onClick={() => save({ default_view: { [list]: isDefault ? null : id } })}
      >
        <IconStar size={14} fill={isDefault ? 'currentColor' : 'none'} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label={t(words.rename, { name: view.name })}
        onClick={() => setIsRenamed(true)}
      >
        <IconPencil size={14} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label={t(words.remove, { name: view.name })}
        onClick={() => save(changeToRemove(preferences, list, id))}
      >
        <IconX size={14} />
      </ActionIcon>
    </li>
  );
}

/** Saves the current state of the list under a name. */
function SaveView({
  list,
  columns,
  widths,
  views,
}: ViewMenuProps & { readonly views: readonly NamedView[] }) {
  const { preferences, save } = usePreferences();
  const search = useSearchRecord();
  const [name, setName] = useState('');
  const typed = name.trim();
  const replaces = views.some(([, view]) => view.name === typed);

  function saveNow(event: FormEvent) {
    event.preventDefault();
    if (!typed) return;
    if (views.length >= MAX_VIEWS && !replaces)
      return toast.error(t(words.tooMany, { max: MAX_VIEWS }));
    const view: SavedView = {
      name: typed,
      search: searchOfView(search),
      ...(columns && { columns }),
      ...(Object.keys(widths).length > 0 && { widths }),
    };
    save(changeToSave(preferences, list, newId(), view));
    setName('');
    toast.success(t(words.saved, { name: typed }));
  }

  return (
    <form onSubmit={saveNow}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          className={styles.name}
          size="xs"
          label={t(words.name)}
          description={replaces ? t(words.replaces) : undefined}
          maxLength={MAX_NAME}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" disabled={!typed}>
          {t(words.save)}
        </Button>
      </Group>
    </form>
  );
}
