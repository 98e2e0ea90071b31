import {
  Alert,
  Button,
  Group,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import type { WaitingDevice } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { formatDate } from '../../../../kit/format/format.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconTerminal2 } from '../../../../kit/icons.ts';
import { failureText } from '../../../../kit/identity/failure.ts';
import { PageLink, useSearchRecord } from '../../../base/navigation.tsx';
import { useProfile } from '../../../base/session.tsx';
import { Card } from '../../../resource/detail/Cards.tsx';
import styles from '../../../resource/detail/Rows.module.css';
import { PageHeader } from '../../../resource/PageHeader.tsx';
import { useConfirmed } from '../../mfa/index.ts';
import deviceStyles from './Devices.module.css';
import { words } from './words.ts';

const BASE = 'authentication/device/';
const QUIET = { quiet: true } as const;
/** Lifetimes of the sign-in of a device in days. */
const DAYS = [1, 7, 30, 90];

/** Asks for the code that a device shows. */
function CodeForm({ onCode }: { readonly onCode: (code: string) => void }) {
  const [typed, setTyped] = useState('');
  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed.trim() !== '') onCode(typed.trim());
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t(words.code)}
          description={t(words.enter)}
          placeholder="BCDF-GHJK"
          maxLength={32}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" disabled={typed.trim() === ''}>
            {t(words.next)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface WaitingProps {
  readonly code: string;
  readonly device: WaitingDevice;
  readonly onDone: (how: 'confirmed' | 'denied') => void;
}

/** A device that waits, with the decision of the user. */
function Waiting({ code, device, onDone }: WaitingProps) {
  const { name, username } = useProfile();
  const allowed = DAYS.filter((count) => count <= device.max_days);
  const [days, setDays] = useState(1);
  const { confirmed, question } = useConfirmed();
  const confirm = () =>
    confirmed(async (password) => {
      const body = { user_code: code, days, ...(password && { password }) };
      await api.post(`${BASE}confirm/`, body, QUIET);
      onDone('confirmed');
    });
  async function deny() {
    try {
      await api.post(`${BASE}deny/`, { user_code: code }, QUIET);
      onDone('denied');
    } catch (cause) {
      toast.error(t(common.updateFailed), failureText(cause));
    }
  }
  return (
    <Stack gap="md">
      <Text>{t(words.intro)}</Text>
      <p className={`mono ${deviceStyles.code}`}>
        <VisuallyHidden>{t(words.code)}: </VisuallyHidden>
        {code}
      </p>
      <dl className={deviceStyles.facts}>
        {[
          [words.device, device.device],
          [words.address, device.remote_addr],
          [words.began, formatDate(device.date_created)],
          [words.account, `${name} (${username})`],
        ].map(([label, value]) => (
          <div key={t(label as typeof words.device)}>
            <dt>{t(label as typeof words.device)}</dt>
            <dd>{String(value)}</dd>
          </div>
        ))}
      </dl>
      <NativeSelect
        label={t(words.days)}
        value={String(days)}
        data={allowed.map((count) => ({
          value: String(count),
          label: t(words.dayCount, { count }),
        }))}
        onChange={(event) => setDays(Number(event.currentTarget.value))}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={() => void deny()}>
          {t(words.deny)}
        </Button>
        <Button onClick={() => void confirm()}>{t(words.confirm)}</Button>
      </Group>
      {question}
    </Stack>
  );
}

/** Finds the device of a code, and shows it or the error. */
function Found({ code, onOther }: { readonly code: string; readonly onOther: () => void }) {
  const [done, setDone] = useState<'confirmed' | 'denied'>();
  const query = useQuery({
    queryKey: ['waiting-device', code],
    queryFn: ({ signal }) =>
      api.post<WaitingDevice>(`${BASE}find/`, { user_code: code }, { signal, ...QUIET }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (query.data && done)
    return (
      <Stack gap="sm">
        <Alert color={done === 'confirmed' ? 'green' : 'gray'} role="status">
          {t(words[done], { device: query.data.device })}
        </Alert>
        <PageLink to="/users/profile" search={{ activeTab: 'SignIns' }}>
          {t(words.toDevices)}
        </PageLink>
      </Stack>
    );
  if (query.data) return <Waiting code={code} device={query.data} onDone={setDone} />;
  if (!query.error) return null;
  return (
    <Stack gap="sm">
      <Alert color="red" role="alert">
        {failureText(query.error)}
      </Alert>
      <Group justify="flex-end">
        <Button variant="default" onClick={onOther}>
          {t(words.otherCode)}
        </Button>
      </Group>
    </Stack>
  );
}

/** The page on which a user confirms the sign-in of a program on a device. */
export function ConfirmDevice() {
  const { code: given } = useSearchRecord();
  const [code, setCode] = useState(typeof given === 'string' ? given : '');
  return (
    <>
      <PageHeader />
      <div className={styles.narrow}>
        <Card title={t(words.device)} icon={<IconTerminal2 size={16} />}>
          <div className={styles.sole}>
            {code === '' ? (
              <CodeForm onCode={setCode} />
            ) : (
              <Found key={code} code={code.toUpperCase()} onOther={() => setCode('')} />
            )}
          </div>
        </Card>
      </div>
    </>
  );
}
