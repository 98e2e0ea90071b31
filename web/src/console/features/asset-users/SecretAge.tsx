import { Text } from '@mantine/core';
import { type assetUser, OLD_SECRET_DAYS, parseDatetime, type Row } from '@sallyport/contract';
import { formatWithZone } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '../../../kit/icons.ts';
import { Moment, useMinute } from '../../resource/list/table/Moment.tsx';
import type { AssetUser } from './SecretDialog.tsx';
import { words } from './words.ts';

const DAY = 86_400_000;

/** Time since the secret of an account changed; a triangle marks old ones. */
export function SecretAge({ account }: { readonly account: AssetUser }) {
  const now = useMinute();
  if (!account.has_secret) return null;
  const { date_secret_changed: changed, date_created: created } = account;
  const date = changed ?? created;
  const isOld = now.getTime() - (parseDatetime(date)?.getTime() ?? 0) > OLD_SECRET_DAYS * DAY;
  return (
    <Text
      span
      fz="sm"
      style={{ whiteSpace: 'nowrap' }}
      title={changed ? undefined : t(words.storedOn, { date: formatWithZone(created) })}
      {...(isOld && { c: 'var(--mantine-color-yellow-text)' })}
    >
      {isOld && (
        <IconAlertTriangle
          size={16}
          aria-label={t(words.stateOld)}
          style={{ verticalAlign: 'text-bottom', marginRight: 4 }}
        />
      )}
      {changed ? <Moment date={changed} /> : t(words.neverChanged)}
    </Text>
  );
}

/** Result and time of the last change by a password plan. */
export function LastRotation({ of }: { readonly of: Row<typeof assetUser>['rotation'] }) {
  if (!of) return null;
  const Icon = of.is_success ? IconCircleCheck : IconCircleX;
  return (
    <span
      style={{
        whiteSpace: 'nowrap',
        color: `var(--mantine-color-${of.is_success ? 'green' : 'red'}-text)`,
      }}
    >
      <Icon
        size={16}
        aria-label={t(of.is_success ? words.rotated : words.notRotated)}
        style={{ verticalAlign: 'text-bottom', marginRight: 4 }}
      />
      <Moment date={of.date} />
    </span>
  );
}
