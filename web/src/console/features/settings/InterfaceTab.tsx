import { Button, Skeleton, TextInput } from '@mantine/core';
import type { InterfaceSetting, LocalText } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { ownPicture } from '../../../kit/page/brand.ts';
import styles from '../../resource/form/Form.module.css';
import { LeaveWarning } from '../../resource/form/LeaveWarning.tsx';
import listStyles from '../../resource/list/List.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { reloadSoon } from './CategoryForm.tsx';
import { type PictureChange, PictureField } from './PictureField.tsx';
import { words } from './words.ts';

const URL = 'xpack/interface/setting';
const MAX_TITLE = 64;

type PictureName = Exclude<keyof InterfaceSetting, 'login_title'>;

/** The pictures with their display sizes (conformance 9.23). */
const PICTURES: readonly {
  readonly name: PictureName;
  readonly label: LocalText;
  readonly size: string;
  readonly icons?: boolean;
}[] = [
  { name: 'logo_index', label: words.indexLogo, size: '185×55' },
  { name: 'logo_logout', label: words.logoutLogo, size: '82×82' },
  { name: 'login_image', label: words.loginImage, size: '492×472' },
  { name: 'favicon', label: words.favicon, size: '16×16', icons: true },
];

interface InterfaceProps {
  /** Reason for showing the values only. */
  readonly readOnly: string | undefined;
}

function InterfaceForm({
  present,
  readOnly,
}: InterfaceProps & { readonly present: InterfaceSetting }) {
  const [title, setTitle] = useState(present.login_title);
  const [pictures, setPictures] = useState<Readonly<Partial<Record<PictureName, PictureChange>>>>(
    {},
  );
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const isDirty =
    title !== present.login_title || Object.values(pictures).some((change) => change !== undefined);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    const form = new FormData();
    form.append('login_title', title);
    for (const [name, change] of Object.entries(pictures))
      if (change !== undefined) form.append(name, change ?? '');
    try {
      await api.send('PUT', URL, { content: form });
      toast.success(t(common.updateSuccess));
      reloadSoon();
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ApiError)) throw error;
      setErrors(
        Object.fromEntries(
          Object.entries(error.fields ?? {}).map(([name, texts]) => [name, texts.join('; ')]),
        ),
      );
    }
  }

  function restore() {
    askFirst({
      message: t(words.restoreQuestion),
      confirm: t(words.restore),
      danger: true,
      run: async () => {
        await api.put('xpack/interface/restore', {});
        setBusy(true);
        reloadSoon();
      },
      success: t(common.updateSuccess),
    });
  }

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <LeaveWarning dirty={isDirty && !busy} />
      <fieldset
        style={{ display: 'contents' }}
        disabled={readOnly !== undefined}
        {...(readOnly !== undefined && { title: readOnly })}
      >
        <div className={styles.card}>
          <section className={`${styles.section} ${styles.open}`} aria-label={t(words.basicInfo)}>
            <h2 className={styles.title}>{t(words.basicInfo)}</h2>
            <div className={styles.fields}>
              <TextInput
                label={t(words.title)}
                description={t(words.titleHint)}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                maxLength={MAX_TITLE}
                value={title}
                error={errors.login_title}
                onChange={(event) => setTitle(event.currentTarget.value)}
              />
            </div>
          </section>
          <section className={`${styles.section} ${styles.open}`} aria-label={t(words.pictures)}>
            <h2 className={styles.title}>{t(words.pictures)}</h2>
            <div className={styles.fields}>
              {PICTURES.map(({ name, ...picture }) => (
                <PictureField
                  key={name}
                  {...picture}
                  present={ownPicture(present[name])}
                  change={pictures[name]}
                  error={errors[name]}
                  onChange={(change) => {
                    setPictures((old) => ({ ...old, [name]: change }));
                    setErrors(({ [name]: _gone, ...others }) => others);
                  }}
                />
              ))}
            </div>
          </section>
        </div>
        <div className={styles.bar}>
          <Button variant="subtle" color="red" mr="auto" onClick={restore} disabled={busy}>
            {t(words.restore)}
          </Button>
          <Button type="submit" loading={busy} disabled={!isDirty}>
            {t(common.submit)}
          </Button>
        </div>
      </fieldset>
    </form>
  );
}

/** Logos, icon, background picture and title of the pages. */
export function InterfaceTab({ readOnly }: InterfaceProps) {
  const setting = useQuery({
    queryKey: ['interface'],
    queryFn: ({ signal }) => api.get<InterfaceSetting>(URL, { signal }),
    gcTime: 0,
  });
  if (setting.isError) {
    return (
      <div className={listStyles.card}>
        <LoadFailed error={setting.error} onRetry={() => void setting.refetch()} />
      </div>
    );
  }
  return setting.data ? (
    <InterfaceForm present={setting.data} readOnly={readOnly} />
  ) : (
    <Skeleton height={320} />
  );
}
