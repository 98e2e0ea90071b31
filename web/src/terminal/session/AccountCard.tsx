import { Button } from '@mantine/core';
import type { GrantedSystemUser } from '@sallyport/contract';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { accountLabel } from '../tabs/accounts.ts';
import styles from './Cards.module.css';
import { words } from './words.ts';

/** Number of accounts with a digit as shortcut. */
const DIGITS = 9;

interface Props {
  readonly hostname: string;
  readonly accounts: readonly GrantedSystemUser[];
  /** Granted accounts of a lower priority, collapsed by default. */
  readonly others: readonly GrantedSystemUser[];
  readonly onChoose: (account: GrantedSystemUser) => void;
}

/** Asks for the account of the connection. The user clicks one or presses its digit. */
export function AccountCard({ hostname, accounts, others, onChoose }: Props) {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  // The question is shown over the terminal and takes the keyboard from it.
  useEffect(() => list.current?.querySelector('button')?.focus(), []);
  const listed = all ? [...accounts, ...others] : accounts;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const account = /^[1-9]$/.test(event.key) ? listed[Number(event.key) - 1] : undefined;
    if (account) onChoose(account);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
      const at = buttons.findIndex((button) => button.matches(':focus'));
      buttons[
        (at + (event.key === 'ArrowDown' ? 1 : -1) + buttons.length) % buttons.length
      ]?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <section className={styles.card} aria-label={t(words.chooseAccount)} onKeyDown={onKeyDown}>
      <h2 className={styles.title}>{hostname}</h2>
      <p className={styles.hint}>
        {t(words.foundAccounts, { count: accounts.length + others.length })}{' '}
        {t(words.chooseByDigit)}
      </p>
      <div ref={list} className={styles.choices}>
        {listed.map((account, index) => (
          <button
            key={account.id}
            type="button"
            className={styles.choice}
            data-autofocus={index === 0 || undefined}
            onClick={() => onChoose(account)}
          >
            <span className={styles.digit} aria-hidden="true">
              {index < DIGITS ? index + 1 : ''}
            </span>
            <span>{accountLabel(account)}</span>
            {account.login_mode === 'manual' ? <small>{t(words.manualLogin)}</small> : null}
            {account.not_now ? <small>{account.not_now}</small> : null}
          </button>
        ))}
      </div>
      {others.length > 0 && !all ? (
        <Button variant="subtle" size="compact-sm" mt="sm" onClick={() => setAll(true)}>
          {t(words.moreAccounts, { count: others.length })}
        </Button>
      ) : null}
    </section>
  );
}
