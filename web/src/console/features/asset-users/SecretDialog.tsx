import { Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { assetUser, type Row } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconEye, IconEyeOff } from '../../../kit/icons.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { ToolButton } from '../../../kit/page/ToolButton.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { FreshFactor } from '../mfa/index.ts';
import { words } from './words.ts';

export type AssetUser = Row<typeof assetUser>;

/** The API path that returns secrets. */
export const SECRETS_PATH = 'assets/asset-user-auth-infos/';

type OpenAssetUser = AssetUser & {
  readonly password: string;
  readonly private_key: string;
  readonly public_key: string;
};

const MASK = '••••••••';

/** Masks a secret until the user reveals it. */
function Hidden({ label, text }: { readonly label: string; readonly text: string }) {
  const [isRevealed, setIsRevealed] = useState(false);
  const name = t(isRevealed ? words.hide : words.reveal, { name: label });
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Text
        component="pre"
        m={0}
        ff="monospace"
        fz="sm"
        mah={200}
        style={{
          flex: 1,
          minWidth: 0,
          overflow: 'auto',
          whiteSpace: 'pre-wrap',
          wordBreak: 'break-all',
        }}
        tabIndex={isRevealed ? 0 : undefined}
      >
        {isRevealed ? text : MASK}
      </Text>
      <ToolButton
        label={name}
        variant="default"
        onClick={() => setIsRevealed(!isRevealed)}
        aria-pressed={isRevealed}
      >
        {isRevealed ? <IconEyeOff size={16} /> : <IconEye size={16} />}
      </ToolButton>
      <CopyButton text={text} label={label} />
    </Group>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <Text fz="sm" c="dimmed" mb={4}>
        {label}
      </Text>
      {children}
    </div>
  );
}

/** A revealed secret is closed after this number of seconds. */
const MOST_SECONDS = 60;

/** Counts down while a secret is open, and closes it at the end. */
function Countdown({ onEnd }: { readonly onEnd: () => void }) {
  const [left, setLeft] = useState(MOST_SECONDS);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    const until = Date.now() + MOST_SECONDS * 1_000;
    const timer = setInterval(() => {
      const seconds = Math.ceil((until - Date.now()) / 1_000);
      if (seconds > 0) setLeft(seconds);
      else end();
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text fz="xs" c="dimmed" role="timer">
      {t(words.hidesIn, { seconds: left })}
    </Text>
  );
}

/**
 * Shows the secret of an account after a fresh second factor if required. The server logs who read
 * it.
 */
export function SecretDialog({
  account,
  onClose,
}: {
  readonly account: AssetUser;
  readonly onClose: () => void;
}) {
  const { fields } = assetUser;
  const secret = useQuery({
    queryKey: ['asset-user-secret', account.id],
    queryFn: ({ signal }) =>
      api.get<OpenAssetUser>(`${SECRETS_PATH}${account.id}/`, { signal, quiet: true }),
    // The server logs each read. The cache drops the secret when the dialog closes.
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const needsFactor =
    secret.error instanceof ApiError && secret.error.code === 'mfa_verify_required';
  const maskedText = (label: string, text: string) =>
    text ? <Hidden label={label} text={text} /> : <Text fz="sm">{t(words.none)}</Text>;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.viewTitle)}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {needsFactor ? (
        <FreshFactor onProved={() => secret.refetch()} />
      ) : secret.isError ? (
        <LoadFailed error={secret.error} onRetry={() => void secret.refetch()} />
      ) : !secret.data ? (
        <Skeleton height={160} />
      ) : (
        <Stack gap="md">
          <Fact label={t(fields.hostname.label)}>
            <Text fz="sm">
              {secret.data.hostname} ({secret.data.ip})
            </Text>
          </Fact>
          <Fact label={t(fields.username.label)}>
            <Text fz="sm">{secret.data.username}</Text>
          </Fact>
          <Fact label={t(fields.password.label)}>
            {maskedText(t(fields.password.label), secret.data.password)}
          </Fact>
          <Fact label={t(fields.private_key.label)}>
            {maskedText(t(fields.private_key.label), secret.data.private_key)}
          </Fact>
          <Text fz="xs" c="dimmed">
            {t(words.audited)}
          </Text>
          <Countdown onEnd={onClose} />
        </Stack>
      )}
    </Modal>
  );
}
