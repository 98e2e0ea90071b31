import { Group } from '@mantine/core';
import { type Fields, type LocalText, SIGN_IN_SETTINGS } from '@sallyport/contract';
import { type ReactNode, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { SETTINGS_URL } from '../../base/addresses.ts';
import type { FormValues } from '../../resource/form/form-state.ts';
import { GUIDE } from '../../resource/form/guide-places.ts';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import type { FieldOverrides } from '../../resource/form/spec.ts';
import { type FormModel, useForm } from '../../resource/form/useForm.ts';
import { useFreshFactor } from '../mfa/index.ts';
import { BackupStorage } from './BackupStorage.tsx';
import { groupsOf, messagesIn } from './categories.ts';
import { KeepDays, PasswordDays } from './DaysOrNever.tsx';

/** Milliseconds before the reload, so that the success message remains visible. */
const RELOAD_DELAY = 500;

/** Additions of a category to its form. */
export interface CategoryExtras {
  readonly buttons: ReactNode;
  readonly notice: ReactNode;
  /** Content above the form. */
  readonly lead?: ReactNode;
  /** Parts outside of the form, such as dialogs, whose buttons must not submit it. */
  readonly dialogs?: ReactNode;
}

interface CategoryFormProps {
  readonly category: string;
  readonly fields: Fields;
  /** Heading of the fields. */
  readonly formTitle?: LocalText;
  readonly useExtras?: (form: FormModel) => CategoryExtras;
  /** Reason for showing the values only. */
  readonly readOnly?: string | undefined;
}

/** Reloads the page, for settings that affect the whole console. */
export function reloadSoon(): void {
  setTimeout(() => location.reload(), RELOAD_DELAY);
}

/** Categories that control access: the server requires a fresh second factor. */
const PROVED: ReadonlySet<string> = new Set(['security', ...Object.keys(SIGN_IN_SETTINGS)]);

/** Controls of single settings. */
const OVERRIDES: FieldOverrides = {
  BACKUP_STORAGE: { widget: BackupStorage, guide: GUIDE.encryptedBackups },
  SECURITY_PASSWORD_EXPIRATION_TIME: { widget: PasswordDays },
  LOGIN_LOG_KEEP_DAYS: { widget: KeepDays },
  TERMINAL_SESSION_KEEP_DURATION: { widget: KeepDays },
};

function Body({
  category,
  fields,
  formTitle,
  useExtras,
  readOnly,
  onSaved,
}: CategoryFormProps & { readonly onSaved: () => void }) {
  const groups = groupsOf(category, fields, formTitle);
  const { proveFresh, question } = useFreshFactor();
  const form = useForm(fields, {
    cacheKey: ['settings', category],
    groups,
    overrides: OVERRIDES,
    load: async (signal) =>
      (await api.get<Readonly<Record<string, FormValues>>>(SETTINGS_URL, { signal }))[category] ??
      {},
    save: async (body) => {
      try {
        return await api.patch(SETTINGS_URL, { [category]: body });
      } catch (error) {
        if (!(error instanceof ApiError) || !error.fields) throw error;
        throw new ApiError(error.status, error.code, error.detail, {
          fields: messagesIn(category, error.fields),
        });
      }
    },
    agree: () => (PROVED.has(category) ? proveFresh() : Promise.resolve(true)),
    onSaved,
    readOnly,
  });
  const extras = useExtras?.(form);
  return (
    <>
      {form.state === 'ready' && extras?.lead}
      <ResourceForm
        form={form}
        groups={groups}
        overrides={OVERRIDES}
        extra={
          extras && (
            <Group gap="xs" mr="auto">
              {extras.buttons}
            </Group>
          )
        }
        notice={extras?.notice}
      />
      {extras?.dialogs}
      {question}
    </>
  );
}

/** Categories that affect rules, menus and lists, which the console has already loaded. */
const OF_THE_WHOLE_CONSOLE: ReadonlySet<string> = new Set(['security', 'terminal', 'notices']);

/** One category of settings, loaded, validated and saved separately. */
export function CategoryForm(props: CategoryFormProps) {
  const [round, setRound] = useState(0);
  const onSaved = () =>
    OF_THE_WHOLE_CONSOLE.has(props.category) ? reloadSoon() : setRound((old) => old + 1);
  return <Body key={round} {...props} onSaved={onSaved} />;
}
