import { Text } from '@mantine/core';
import { allows, type Field, Permission, user } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { FieldWidget } from '../../resource/form/FieldWidget.tsx';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { BY_MAIL } from './password-strategy.ts';
import { words } from './words.ts';

const STRATEGY: Field = user.fields.password_strategy;
const FIELD: Field =
  STRATEGY.kind === 'choice'
    ? { ...STRATEGY, choices: STRATEGY.choices.filter(({ value }) => value !== BY_MAIL) }
    : STRATEGY;

/**
 * The password choice for a new account without a mail server: offers no mailed link, and explains
 * why.
 */
export function StrategyWithoutMail(props: WidgetProps) {
  const { role } = useSession();
  return (
    <>
      <FieldWidget {...props} field={FIELD} />
      <Text fz="xs" c="dimmed">
        {t(words.noMailServer)}{' '}
        {allows(role.current, Permission.SUPER) && (
          <PageLink to="/settings" search={{ activeTab: 'Email' }} underline="always">
            {t(words.setUpMail)}
          </PageLink>
        )}
      </Text>
    </>
  );
}
