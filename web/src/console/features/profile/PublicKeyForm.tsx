import { Button, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import type { GeneratedKey, PublicKeyInfo } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { saveText } from '../../../kit/download.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconDownload } from '../../../kit/icons.ts';
import { PROFILE_KEY } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import { LeaveWarning } from '../../resource/form/LeaveWarning.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { type Change, useConfirmed } from './mfa/useConfirmed.tsx';
import styles from './Profile.module.css';
import { words } from './words.ts';

const URL = 'users/profile/public-key/';
const KEY = ['public-key'];

/**
 * Asks, then lets the server create a key pair, and saves the private key in the browser. The
 * server shows the private key only once.
 */
export function useNewPair(confirmed: (run: Change) => Promise<void>): () => void {
  const client = useQueryClient();
  async function create(password?: string) {
    const { private_key: text, filename } = await api.post<GeneratedKey>(
      `${URL}generate/`,
      { password },
      { quiet: true },
    );
    saveText(filename, text);
    toast.success(t(common.updateSuccess));
    await Promise.all([KEY, PROFILE_KEY].map((queryKey) => client.invalidateQueries({ queryKey })));
  }
  return () =>
    askFirst({
      message: t(words.newPairQuestion),
      confirm: t(words.newPair),
      danger: true,
      run: () => confirmed(create),
    });
}

/** Shows and replaces the own SSH public key. */
export function PublicKeyForm() {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<PublicKeyInfo>(URL, { signal }),
  });
  const { confirmed, question } = useConfirmed();
  const newPair = useNewPair(confirmed);
  const [line, setLine] = useState('');
  const [problem, setProblem] = useState('');
  if (query.error) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton height={240} maw={720} />;
  const { public_key_comment: comment, public_key_hash_md5: digest } = query.data;

  async function replace(password?: string) {
    try {
      client.setQueryData(
        KEY,
        await api.put<PublicKeyInfo>(URL, { public_key: line.trim(), password }, { quiet: true }),
      );
    } catch (cause) {
      if (!(cause instanceof ApiError) || !cause.fields?.public_key) throw cause;
      setProblem(cause.fields.public_key.join('; '));
      return;
    }
    setLine('');
    toast.success(t(common.updateSuccess));
    await client.invalidateQueries({ queryKey: PROFILE_KEY });
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setProblem(line.trim() ? '' : t(common.required));
    if (line.trim()) void confirmed(replace);
  }

  return (
    <div className={styles.narrow}>
      <LeaveWarning dirty={line !== ''} />
      <Card title={t(words.oldSshKey)}>
        {digest ? (
          <dl className={detailStyles.facts}>
            <dt>{t(words.keyComment)}</dt>
            <dd>{comment || t(common.none)}</dd>
            <dt>{t(words.keyDigest)}</dt>
            <dd className="mono">{digest}</dd>
          </dl>
        ) : (
          <Text className={styles.row} c="dimmed" fz="sm">
            {t(words.noKey)}
          </Text>
        )}
      </Card>
      <Card title={t(words.updateSshKey)}>
        <form onSubmit={submit} noValidate className={styles.sole}>
          <Stack gap="md">
            <Textarea
              label={t(words.publicKey)}
              description={t(words.publicKeyHint)}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              withAsterisk
              rows={4}
              maxLength={4096}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              value={line}
              error={problem || undefined}
              onChange={(event) => {
                setLine(event.currentTarget.value);
                setProblem('');
              }}
            />
            <Group justify="space-between" gap="xs">
              <Button variant="default" leftSection={<IconDownload size={16} />} onClick={newPair}>
                {t(words.newPair)}
              </Button>
              <Button type="submit">{t(common.submit)}</Button>
            </Group>
          </Stack>
        </form>
      </Card>
      {question}
    </div>
  );
}
