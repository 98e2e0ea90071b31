import { Text, Title } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleDashed } from '../../../../kit/icons.ts';
import { useSession } from '../../../base/session.tsx';
import { RecordingPlace, storageWords, useAsksRecordingPlace } from '../../storages/index.ts';
import dashboard from '../Dashboard.module.css';
import { useHardening } from '../weak-settings.ts';
import { words as home } from '../words.ts';
import styles from './First.module.css';
import { FirstServerForm } from './FirstServerForm.tsx';
import { isSetUp } from './first-state.ts';
import { SetUp } from './SetUp.tsx';
import { words } from './words.ts';

interface StepProps {
  readonly title: LocalText;
  readonly hint: LocalText;
  readonly isDone?: boolean;
  readonly children: ReactNode;
}

function Step({ title, hint, isDone = false, children }: StepProps) {
  return (
    <li className={styles.step}>
      <div className={styles.head}>
        {isDone ? (
          <IconCircleCheck size={22} className={styles.done} aria-label={t(home.done)} />
        ) : (
          <IconCircleDashed size={22} aria-label={t(home.todo)} />
        )}
        <div>
          <Title order={3}>{t(title)}</Title>
          <Text c="dimmed" fz="sm">
            {t(isDone ? words.saved : hint)}
          </Text>
        </div>
      </div>
      {!isDone && <div className={styles.body}>{children}</div>}
    </li>
  );
}

/** Shown where several servers run, and done once their place of recordings is chosen. */
function RecordingStep() {
  const isAsked = useAsksRecordingPlace();
  return (
    isAsked && (
      <Step title={storageWords.recordingPlace} hint={storageWords.recordingPlaceHint}>
        <RecordingPlace />
      </Step>
    )
  );
}

interface FirstStepsProps {
  /** Administrators of the installation set up its language, zone and address. */
  readonly setsUp: boolean;
  readonly onOneByOne: () => void;
}

/** The steps of an empty installation: its settings, and the first server in one form. */
export function FirstSteps({ setsUp, onOneByOne }: FirstStepsProps) {
  const { data } = useHardening(setsUp);
  // The operator may have fixed the address.
  const hasSite = useSession().settings.MAIL_SITE !== undefined;
  const here = hasSite ? location.origin : undefined;
  return (
    <section className={dashboard.journey} aria-label={t(home.journey)}>
      <Title order={2}>{t(home.journey)}</Title>
      <Text c="dimmed" mt={4} mb="md">
        {t(home.journeyHint)}
      </Text>
      <ol className={styles.steps}>
        {data?.basic && (
          <Step title={words.setUp} hint={words.setUpHint} isDone={isSetUp(data.basic, here)}>
            <SetUp basic={data.basic} />
          </Step>
        )}
        {setsUp && <RecordingStep />}
        <Step title={words.connect} hint={words.connectHint}>
          <FirstServerForm onOneByOne={onOneByOne} />
        </Step>
      </ol>
    </section>
  );
}
