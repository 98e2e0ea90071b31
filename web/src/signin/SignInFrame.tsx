import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../kit/i18n/index.ts';
import { IconKey, IconPlayerRecord, IconShieldCheck } from '../kit/icons.ts';
import { Mark } from '../kit/page/Mark.tsx';
import { BrowserLanguage } from './BrowserLanguage.tsx';
import { PageSettings } from './PageSettings.tsx';
import styles from './SignInFrame.module.css';
import { useBrand, usePublicSettings } from './usePublicSettings.ts';
import { words } from './words.ts';

const POINTS = [
  { text: words.access, Icon: IconKey },
  { text: words.record, Icon: IconPlayerRecord },
  { text: words.verify, Icon: IconShieldCheck },
];

/** The frame of sign-in and sign-out pages: product name on the left, form on the right. */
export function SignInFrame({ children }: { readonly children: ReactNode }) {
  const { title, logoutLogo, loginImage } = useBrand();
  const settings = usePublicSettings();
  const logo = (size: number) =>
    logoutLogo ? (
      <img src={logoutLogo} alt="" className={styles.logo} style={{ maxHeight: size * 1.5 }} />
    ) : (
      <Mark size={size} />
    );
  return (
    <div className={styles.page}>
      <aside className={styles.wall}>
        {!loginImage && (
          <div className={styles.gate} aria-hidden="true">
            <Mark size={460} />
          </div>
        )}
        <Text
          component="div"
          fz="lg"
          fw={600}
          style={{ display: 'flex', gap: 12, alignItems: 'center' }}
        >
          {logo(32)} {title}
        </Text>
        {loginImage && <img src={loginImage} alt="" className={styles.picture} />}
        <div className={styles.motto} hidden={loginImage !== undefined}>
          <Text component="p" fz="2.25rem" fw={600} lh={1.2} m={0}>
            {t(words.motto)}
          </Text>
          <Text component="p" fz="lg" mt="md" c="#cfd8e5">
            {t(words.mottoText)}
          </Text>
        </div>
        <ul className={styles.points}>
          {POINTS.map(({ text, Icon }) => (
            <li key={text.en}>
              <Icon size={18} /> {t(text)}
            </li>
          ))}
        </ul>
      </aside>
      <div className={styles.side}>
        <header className={styles.tools}>
          <span className={styles.small}>
            {logo(28)} {title}
          </span>
          <PageSettings />
        </header>
        <main className={styles.form}>
          <div>
            <BrowserLanguage />
            {children}
          </div>
        </main>
        <footer className={styles.versions}>
          {settings && t(words.versions, { name: settings.PRODUCT_VERSION, api: settings.VERSION })}
        </footer>
      </div>
    </div>
  );
}

/**
 * The heading of a step with a hint. If no field takes the focus, the heading does, so that screen
 * readers announce the step.
 */
export function StepHead({ title, hint }: { readonly title: string; readonly hint?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <div>
      <Title order={1} fz="1.5rem" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
        {title}
      </Title>
      {hint && (
        <Text c="dimmed" mt={4}>
          {hint}
        </Text>
      )}
    </div>
  );
}
