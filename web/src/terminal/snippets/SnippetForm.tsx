import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { snippet as resource } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { ApiError, api, type FieldMessages } from '../../kit/api.ts';
import { common, t } from '../../kit/i18n/index.ts';
import type { Snippet } from './snippet-text.ts';
import { words } from './words.ts';

interface Props {
  /** Absent for a new snippet. */
  readonly snippet: Snippet | undefined;
  readonly onSaved: () => Promise<void>;
  readonly onCancel: () => void;
}

/** Form of a snippet. Shows the server's errors at their fields. */
export function SnippetForm({ snippet, onSaved, onCancel }: Props) {
  const [name, setName] = useState(snippet?.name ?? '');
  const [content, setContent] = useState(snippet?.content ?? '');
  const [problems, setProblems] = useState<FieldMessages>({});
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  const problem = (field: string) => problems[field]?.join(' ') || undefined;

  async function save(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setFailure('');
    setProblems({});
    try {
      const values = { name, content };
      await (snippet
        ? api.patch(`${resource.path}/${snippet.id}/`, values, { quiet: true })
        : api.post(`${resource.path}/`, values, { quiet: true }));
      await onSaved();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblems(error.fields ?? {});
      if (!error.fields?.name && !error.fields?.content) setFailure(error.message);
      setBusy(false);
    }
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <Stack gap="sm">
        <TextInput
          label={t(words.name)}
          required
          autoFocus
          maxLength={resource.fields.name.max ?? 0}
          value={name}
          error={problem('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Textarea
          label={t(words.content)}
          description={t(words.contentHint, { example: '{{host}}' })}
          required
          autosize
          minRows={4}
          maxRows={14}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          maxLength={resource.fields.content.max ?? 0}
          value={content}
          error={problem('content')}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        {failure && (
          <Text role="alert" fz="sm" c="var(--mantine-color-error)">
            {failure}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t(common.cancel)}
          </Button>
          <Button type="submit" loading={busy}>
            {t(words.save)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
