import { Badge, Skeleton, Text } from '@mantine/core';
import type { LicenseDetail, LocalText } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { Card, type QuickAction, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Detail.module.css';
import listStyles from '../../resource/list/List.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { reloadSoon } from './CategoryForm.tsx';
import { words } from './words.ts';

const EDITIONS: Readonly<Record<string, LocalText>> = {
  standard: words.standard,
  enterprise: words.enterprise,
  ultimate: words.ultimate,
};

function assetsOf({ asset_count: limit, asset_used: used }: LicenseDetail): string {
  return limit ? t(words.assetsUsed, { used, limit }) : t(words.assetsUnlimited, { used });
}

function editionOf({ edition }: LicenseDetail): string | null {
  const known = EDITIONS[(edition ?? '').toLowerCase()];
  return known ? t(known) : edition;
}

function Facts({ license }: { readonly license: LicenseDetail }) {
  if (license.subscription_id === null) {
    return (
      <dl className={styles.facts}>
        <dt>{t(words.license)}</dt>
        <dd>{t(words.community)}</dd>
      </dl>
    );
  }
  const facts = [
    [words.subscription, license.subscription_id],
    [words.corporation, license.corporation],
    [words.expired, license.is_own ? t(words.never) : license.expired],
    [words.issuedBy, t(license.is_own ? words.ownLicense : words.another)],
    [words.assetCount, assetsOf(license)],
    [words.edition, editionOf(license)],
  ] as const;
  return (
    <dl className={styles.facts}>
      <dt>{t(words.state)}</dt>
      <dd>
        <Badge color={license.is_valid ? 'green' : 'red'} variant="light">
          {t(license.is_valid ? words.valid : words.over)}
        </Badge>
      </dd>
      {facts.flatMap(([label, value]) => [
        <dt key={label.en}>{t(label)}</dt>,
        <dd key={`${label.en} value`}>{value}</dd>,
      ])}
    </dl>
  );
}

/**
 * Sends a change of the license, then reloads the page, because the menu depends on the license.
 */
async function changed(work: Promise<unknown>, done: LocalText): Promise<void> {
  await work;
  toast.success(t(done));
  reloadSoon();
}

const issue = () => changed(api.post('xpack/license/issue'), words.issued);
const remove = () => changed(api.delete('xpack/license/detail'), words.removed);

/** Actions on a license other than the import. */
function actionsOf({
  is_valid: isValid,
  is_own: isOwn,
  issue_refusal: refusal,
  subscription_id: id,
  corporation,
}: LicenseDetail): QuickAction[] {
  const replaced = {
    title: t(words.issueLicense),
    message: t(words.replaceQuestion, { name: corporation ?? '' }),
    confirm: t(words.issue),
    run: issue,
  };
  return [
    ...(isValid && isOwn
      ? []
      : [
          {
            key: 'issue',
            title: t(words.issueLicense),
            button: t(words.issue),
            disabled: refusal !== null,
            ...(refusal !== null && { hint: refusal }),
            run: () => (isValid ? askFirst(replaced) : issue()),
          },
        ]),
    ...(id === null
      ? []
      : [
          {
            key: 'remove',
            title: t(words.removeLicense),
            button: t(words.remove),
            danger: true,
            run: () =>
              askFirst({
                title: t(words.removeLicense),
                message: t(words.removeQuestion),
                confirm: t(words.remove),
                danger: true,
                run: remove,
              }),
          },
        ]),
  ];
}

/** Shows the license; issues the installation's own, imports another, removes it. */
export function LicenseTab({ readOnly }: { readonly readOnly: string | undefined }) {
  const license = useQuery({
    queryKey: ['license'],
    queryFn: ({ signal }) => api.get<LicenseDetail>('xpack/license/detail', { signal }),
  });
  const input = useRef<HTMLInputElement>(null);

  async function take(file: File | undefined) {
    if (!file) return;
    const form = new FormData();
    form.append('file', file);
    try {
      const { msg } = await api.send<{ msg: string }>('POST', 'xpack/license/import', {
        content: form,
      });
      toast.success(msg);
      // The menu depends on the license.
      reloadSoon();
    } catch {
      // The request layer has shown the error.
    } finally {
      if (input.current) input.current.value = '';
    }
  }

  if (license.isError) {
    return (
      <div className={listStyles.card}>
        <LoadFailed error={license.error} onRetry={() => void license.refetch()} />
      </div>
    );
  }
  return (
    <div className={styles.columns}>
      <Card title={t(words.license)}>
        {license.data ? <Facts license={license.data} /> : <Skeleton height={160} />}
      </Card>
      <div className={styles.side}>
        <QuickActionsCard
          actions={[
            ...(license.data ? actionsOf(license.data) : []),
            {
              key: 'import',
              title: t(words.importLicense),
              button: t(words.chooseFile),
              run: () => input.current?.click(),
            },
          ].map((action) =>
            readOnly === undefined ? action : { ...action, disabled: true, hint: readOnly },
          )}
        />
        <Text c="dimmed" fz="sm">
          {t(words.licenseHint)}
        </Text>
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          hidden
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </div>
    </div>
  );
}
