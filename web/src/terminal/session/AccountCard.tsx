import { Button, Radio, Select, Stack } from '@mantine/core';
import type { GrantedSystemUser } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { accountLabel, SELECT_FROM } from '../tabs/accounts.ts';
import styles from './Cards.module.css';
import { words } from './words.ts';

interface Props {
  readonly hostname: string;
  readonly accounts: readonly GrantedSystemUser[];
  readonly onChoose: (account: GrantedSystemUser) => void;
}

function described(account: GrantedSystemUser): string | undefined {
  return account.login_mode === 'manual' ? t(words.manualLogin) : undefined;
}

/** The question which account to connect with. */
export function AccountCard({ hostname, accounts, onChoose }: Props) {
  const [chosen, setChosen] = useState(accounts[0]?.id ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const account = accounts.find(({ id }) => id === chosen);
    if (account) onChoose(account);
  };
  return (
    <form className={styles.card} onSubmit={submit}>
      <h2 className={styles.title}>{hostname}</h2>
      <p className={styles.hint}>{t(words.foundAccounts, { count: accounts.length })}</p>
      {accounts.length < SELECT_FROM ? (
        <Radio.Group value={chosen} onChange={setChosen} label={t(words.chooseAccount)}>
          <Stack gap={4} mt={8}>
            {accounts.map((account, index) => (
              <Radio
                key={account.id}
                value={account.id}
                className={styles.choice}
                data-checked={account.id === chosen || undefined}
                autoFocus={index === 0}
                label={accountLabel(account)}
                description={described(account)}
                size="xs"
              />
            ))}
          </Stack>
        </Radio.Group>
      ) : (
        <Select
          label={t(words.chooseAccount)}
          data={accounts.map((account) => ({ value: account.id, label: accountLabel(account) }))}
          value={chosen}
          onChange={(value) => setChosen(value ?? '')}
          searchable
          allowDeselect={false}
          data-autofocus
        />
      )}
      <Button type="submit" fullWidth mt="md" disabled={chosen === ''}>
        {t(words.connect)}
      </Button>
    </form>
  );
}
