import { Button, Checkbox, Group, Modal, Table, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { type FileItem, pathIn, shownName } from './entries.ts';
import styles from './Files.module.css';
import type { useFileActions } from './useFileActions.ts';
import { words } from './words.ts';

interface NameProps {
  readonly title: string;
  readonly action: string;
  readonly first: string;
  readonly isTaken: (name: string) => boolean;
  readonly onName: (name: string) => Promise<string | null>;
  readonly onClose: () => void;
}

/** Asks for a name. `onName` returns an error message, or nothing on success. */
export function NameDialog({ title, action, first, isTaken, onName, onClose }: NameProps) {
  const [name, setName] = useState(first);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (name === first && first !== '') return onClose();
    const wrong =
      name.trim() === ''
        ? words.nameNeeded
        : name.includes('/')
          ? words.nameSlash
          : isTaken(name)
            ? words.nameTaken
            : null;
    setError(wrong && t(wrong));
    if (wrong) return;
    setBusy(true);
    const problem = await onName(name);
    setBusy(false);
    if (problem === null) onClose();
    else setError(problem);
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={(event) => void submit(event)}>
        <TextInput
          label={t(words.name)}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={error}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onFocus={(event) => {
            const dot = name.lastIndexOf('.');
            event.currentTarget.setSelectionRange(0, dot > 0 ? dot : name.length);
          }}
        />
        <Group mt="lg" justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(common.cancel)}
          </Button>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

const PEOPLE = [
  { label: words.who_owner, shift: 6 },
  { label: words.who_group, shift: 3 },
  { label: words.who_others, shift: 0 },
] as const;

const BITS = [
  { label: words.may_read, bit: 4 },
  { label: words.may_write, bit: 2 },
  { label: words.may_execute, bit: 1 },
] as const;

interface ModeProps {
  readonly title: string;
  readonly first: number;
  readonly onMode: (mode: number) => Promise<string | null>;
  readonly onClose: () => void;
}

/** Asks for permission bits, by boxes or as a number. */
export function ModeDialog({ title, first, onMode, onClose }: ModeProps) {
  const [octal, setOctal] = useState(first.toString(8).padStart(3, '0'));
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isRight = /^[0-7]{3,4}$/.test(octal);
  const mode = isRight ? Number.parseInt(octal, 8) : 0;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isRight) return setError(t(words.octalWrong));
    setBusy(true);
    const problem = await onMode(mode);
    setBusy(false);
    if (problem === null) onClose();
    else setError(problem);
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={(event) => void submit(event)}>
        <Table className={styles.modes} withRowBorders={false}>
          <Table.Thead>
            <Table.Tr>
              <Table.Td />
              {BITS.map(({ label, bit }) => (
                <Table.Th key={bit} scope="col">
                  {t(label)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {PEOPLE.map(({ label, shift }) => (
              <Table.Tr key={shift}>
                <Table.Th scope="row">{t(label)}</Table.Th>
                {BITS.map(({ label: what, bit }) => (
                  <Table.Td key={bit}>
                    <Checkbox
                      aria-label={`${t(label)}: ${t(what)}`}
                      checked={(mode & (bit << shift)) !== 0}
                      onChange={() =>
                        setOctal((mode ^ (bit << shift)).toString(8).padStart(3, '0'))
                      }
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <TextInput
          mt="sm"
          label={t(words.octal)}
          value={octal}
          maxLength={4}
          error={error}
          onChange={(event) => {
            setOctal(event.currentTarget.value);
            setError(null);
          }}
        />
        <Group mt="lg" justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(common.cancel)}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t(words.apply)}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

interface ChangeProps {
  readonly kind: 'rename' | 'mode' | 'make_folder' | 'make_file';
  readonly chosen: readonly FileItem[];
  readonly path: string;
  readonly items: readonly FileItem[];
  readonly actions: ReturnType<typeof useFileActions>;
  readonly onClose: () => void;
}

/** Asks for the name or the permission bits of a change. */
export function ChangeDialog({ kind, chosen, path, items, actions, onClose }: ChangeProps) {
  const isTaken = (name: string) => items.some((item) => item.name === name);
  const [first] = chosen;
  if (kind === 'mode') {
    if (!first) return null;
    const title =
      chosen.length === 1
        ? `${t(words.permissions)} · ${shownName(first.name)}`
        : `${t(words.permissions)} · ${t(words.count, { count: chosen.length })}`;
    const paths = chosen.map(({ name }) => pathIn(path, name));
    return (
      <ModeDialog
        title={title}
        first={first.mode}
        onMode={(mode) => actions.setMode(paths, mode)}
        onClose={onClose}
      />
    );
  }
  if (kind === 'rename') {
    if (!first) return null;
    const rename = (name: string) => actions.rename(pathIn(path, first.name), name);
    return (
      <NameDialog
        title={t(words.rename)}
        action={t(words.rename)}
        first={first.name}
        isTaken={isTaken}
        onName={rename}
        onClose={onClose}
      />
    );
  }
  const title = t(kind === 'make_folder' ? words.newFolder : words.newFile);
  return (
    <NameDialog
      title={title}
      action={t(words.create)}
      first=""
      isTaken={isTaken}
      onName={(name) => actions.make(kind, name)}
      onClose={onClose}
    />
  );
}
