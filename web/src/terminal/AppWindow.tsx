import { Button, Loader } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { common, t } from '../kit/i18n/index.ts';
import { LanguageSwitch } from '../kit/page/LanguageSwitch.tsx';
import { Mark } from '../kit/page/Mark.tsx';
import { ThemeSwitch } from '../kit/page/ThemeSwitch.tsx';
import cards from './session/Cards.module.css';
import { rememberTheme } from './useProfile.ts';
import frame from './Window.module.css';

interface Props {
  readonly title: string;
  /** The page of the console that lists applications like this one. */
  readonly back: string;
  readonly backLabel: string;
  readonly isPending: boolean;
  /** Title of the card if there is nothing to show. */
  readonly missing: string;
  /** Buttons of the bar. */
  readonly tools?: ReactNode;
  /** The session; nothing while it is loaded, or if the user may not use it. */
  readonly children: ReactNode;
}

/** The window of one application: its name, and its session. */
export function AppWindow({ title, back, backLabel, isPending, missing, tools, children }: Props) {
  useEffect(() => {
    document.title = `${title} - Sallyport`;
  }, [title]);
  return (
    <div className={frame.window}>
      <header className={frame.bar}>
        <a className={frame.brand} href={back} aria-label={backLabel}>
          <Mark size={22} />
        </a>
        <h1 className={frame.barTitle} id="tab-app">
          {title}
        </h1>
        {tools}
        <LanguageSwitch />
        <ThemeSwitch onChoose={rememberTheme} />
      </header>
      <main className={frame.main}>
        {children || (
          <div className={frame.centered}>
            {isPending ? (
              <Loader role="status" aria-label={t(common.loading)} />
            ) : (
              <section className={cards.card}>
                <h2 className={cards.title}>{missing}</h2>
                <Button component="a" href={back}>
                  {backLabel}
                </Button>
              </section>
            )}
          </div>
        )}
      </main>
    </div>
  );
}
