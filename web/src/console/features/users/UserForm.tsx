import { Text } from '@mantine/core';
import { allows, boolean, type Field, Permission, type Row, user } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink, useObjectId } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { FieldWidget } from '../../resource/form/FieldWidget.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import { PasswordField } from '../../resource/form/PasswordField.tsx';
import type { FieldOverrides, FormGroup, WidgetProps } from '../../resource/form/spec.ts';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { useFreshFactor } from '../mfa/index.ts';
import { SiteNotice } from '../site/index.ts';
import { words } from './words.ts';

/** The new user receives a link by mail to choose a password. */
const BY_MAIL = 0;
/** The administrator enters the password in the form. */
const BY_HAND = 1;

/**
 * Returns true if the form asks for a password: for local accounts, unless the user chooses it by
 * mail or keeps it.
 */
export function asksForPassword(values: FormValues, updating: boolean): boolean {
  if (values.source !== 'local') return false;
  return updating ? values.update_password === true : values.password_strategy !== BY_MAIL;
}

/**
 * Builds the request body. Omits a password entered before switching to the mailed link. For
 * accounts of an external source, omits password and strategy.
 */
export function sentBody(
  body: Record<string, unknown>,
  values: FormValues,
): Record<string, unknown> {
  const { password_strategy: strategy, password, ...others } = body;
  // The form hides the duty of an ordinary user.
  const rest = values.role === 'User' ? { ...others, duty: '' } : others;
  if (values.source !== 'local') return rest;
  return {
    ...rest,
    // An edit has no strategy; its hidden field is blank.
    ...(strategy !== undefined && strategy !== '' && { password_strategy: strategy }),
    ...(password !== undefined && strategy !== BY_MAIL && { password }),
  };
}

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

const LONG_DAYS = 36_500;
const DAY = 86_400_000;

/** Fields whose names are also names of changes in the policy. */
const REFUSABLE = [
  'name',
  'username',
  'email',
  'mfa_level',
  'source',
  'role',
  'date_expired',
  'is_active',
] as const satisfies readonly (keyof typeof user.fields)[];
/** Fields that describe the user. */
const DESCRIPTION = [
  'phone',
  'wechat',
  'comment',
] as const satisfies readonly (keyof typeof user.fields)[];

type OwnField = 'update_password' | 'set_public_key';

const GROUPS: readonly FormGroup<keyof typeof user.fields | OwnField>[] = [
  { title: words.account, fields: ['name', 'username', 'email', 'groups'] },
  {
    title: words.authentication,
    fields: [
      'password_strategy',
      'update_password',
      'password',
      'set_public_key',
      'public_key',
      'mfa_level',
      'source',
    ],
  },
  { title: words.secure, fields: ['role', 'duty', 'date_expired'] },
  moreOptions(['is_active', 'phone', 'wechat', 'comment']),
];

/**
 * Returns the reason why this administrator may not change a field of the account, in the words of
 * the policy.
 */
const refusalOf =
  (change: string) =>
  ({ refusals }: FormValues): string | undefined =>
    (refusals as Row<typeof user>['refusals'] | undefined)?.[change];

/** Forbidden fields explain the reason. A setting decides if users may have an SSH key. */
const overridesFor = (mayHaveKey: boolean, canMail: boolean): FieldOverrides => ({
  ...Object.fromEntries(REFUSABLE.map((name) => [name, { refusal: refusalOf(name) }])),
  ...Object.fromEntries(DESCRIPTION.map((name) => [name, { refusal: refusalOf('describe') }])),
  duty: { refusal: refusalOf('role'), hidden: ({ role }) => role === 'User' },
  // Auditors cannot be in groups.
  groups: { refusal: refusalOf('groups'), hidden: ({ role }) => role === 'Auditor' },
  password_strategy: {
    required: true,
    ...(!canMail && { widget: StrategyWithoutMail }),
    hidden: (values, updating) => updating || values.source !== 'local',
  },
  update_password: {
    clientOnly: boolean({ label: words.updatePassword, required: false }),
    refusal: refusalOf('password'),
    hidden: (values, updating) =>
      !updating || values.source !== 'local' || values.update_password === true,
  },
  password: {
    widget: PasswordField,
    required: true,
    hidden: (values, updating) => !asksForPassword(values, updating),
  },
  set_public_key: {
    clientOnly: boolean({ label: words.setPublicKey, required: false }),
    refusal: refusalOf('public_key'),
    hidden: (values, updating) => !mayHaveKey || !updating || values.set_public_key === true,
  },
  public_key: {
    hidden: (values, updating) => !mayHaveKey || (updating && values.set_public_key !== true),
  },
});

/**
 * Creates or changes an account. Fields for secrets appear only after the user turns on their
 * switch.
 */
export function UserForm() {
  const id = useObjectId();
  const { settings } = useSession();
  const isNew = id === '';
  // Without a mail server, start with the strategy that works.
  const strategy = settings.PASSWORD_BY_MAIL ? BY_MAIL : BY_HAND;
  const initial = isNew
    ? {
        password_strategy: strategy,
        date_expired: new Date(Date.now() + LONG_DAYS * DAY).toISOString(),
      }
    : {};
  const overrides = overridesFor(settings.TERMINAL_PUBLIC_KEY_AUTH, settings.PASSWORD_BY_MAIL);
  const { proveFresh, question } = useFreshFactor();
  const agree = async ({ role }: FormValues) => role !== 'Admin' || proveFresh();
  return (
    <>
      <FormPage<typeof user.fields, OwnField>
        notice={({ password_strategy: chosen }) =>
          isNew && chosen === BY_MAIL && <SiteNotice isMailed />
        }
        source={user}
        groups={GROUPS}
        overrides={overrides}
        initial={initial}
        toBody={sentBody}
        agree={agree}
      />
      {question}
    </>
  );
}
