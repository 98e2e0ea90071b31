import { Alert, Autocomplete, Button, Select, TextInput } from '@mantine/core';
import { SETTING_CATEGORIES } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api, timeZone } from '../../../../kit/api.ts';
import { language, t } from '../../../../kit/i18n/index.ts';
import { SETTINGS_URL } from '../../../base/addresses.ts';
import { useSession } from '../../../base/session.tsx';
import { isLoopback } from '../../site/index.ts';
import { HARDENING_KEY } from '../weak-settings.ts';
import styles from './First.module.css';
import type { Basic } from './first-state.ts';
import { words } from './words.ts';

const { SERVER_LANGUAGE } = SETTING_CATEGORIES.basic.fields;
const ZONES = Intl.supportedValuesOf('timeZone');
const MOST_ZONES = 50;

/** Asks for language, time zone and address of the installation; proposes those of the browser. */
export function SetUp({ basic }: { readonly basic: Basic }) {
  const client = useQueryClient();
  // The operator may have fixed the address.
  const hasSite = useSession().settings.MAIL_SITE !== undefined;
  const [values, setValues] = useState({
    SERVER_LANGUAGE: language as string,
    SERVER_TIME_ZONE: timeZone(),
    SITE_URL: isLoopback(location.origin) ? String(basic.SITE_URL ?? '') : location.origin,
  });
  const [problem, setProblem] = useState<ApiError>();
  const [busy, setBusy] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const { SITE_URL, ...others } = values;
    try {
      await api.patch(
        SETTINGS_URL,
        { basic: { ...others, ...(hasSite && { SITE_URL }) } },
        { quiet: true },
      );
      await client.invalidateQueries({ queryKey: HARDENING_KEY });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  const fieldProblem = (name: string) =>
    (problem?.fields?.[name] ?? problem?.fields?.[`basic.${name}`])?.join('; ');
  const input = (name: keyof typeof values) => ({
    value: values[name],
    error: fieldProblem(name),
    required: true,
  });
  const put = (name: keyof typeof values) => (value: string) =>
    setValues((before) => ({ ...before, [name]: value }));
  return (
    <form onSubmit={(event) => void save(event)}>
      <div className={styles.fields}>
        <Select
          {...input('SERVER_LANGUAGE')}
          label={t(words.serverLanguage)}
          data={SERVER_LANGUAGE.choices.map(({ value, label }) => ({
            value: String(value),
            label: t(label),
          }))}
          allowDeselect={false}
          onChange={(value) => value && put('SERVER_LANGUAGE')(value)}
        />
        <Autocomplete
          {...input('SERVER_TIME_ZONE')}
          label={t(words.zone)}
          data={ZONES}
          limit={MOST_ZONES}
          onChange={put('SERVER_TIME_ZONE')}
        />
        {hasSite && (
          <TextInput
            {...input('SITE_URL')}
            label={t(words.site)}
            type="url"
            maxLength={1024}
            onChange={(event) => put('SITE_URL')(event.currentTarget.value)}
          />
        )}
      </div>
      {problem && !problem.fields && (
        <Alert color="red" role="alert" mt="md">
          {problem.message}
        </Alert>
      )}
      <Button type="submit" variant="light" mt="md" loading={busy}>
        {t(words.save)}
      </Button>
    </form>
  );
}
