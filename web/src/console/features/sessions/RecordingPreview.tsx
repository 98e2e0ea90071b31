import { useIntersection } from '@mantine/hooks';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconPlayerPlay } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from './RecordingPicture.module.css';
import { RecordingPicture } from './RecordingPicture.tsx';
import { words } from './words.ts';

interface Props {
  readonly session: string;
  readonly kind: 'terminal' | 'desktop';
  readonly at: number | undefined;
  readonly onMove: (second: number) => void;
}

/**
 * The recording of a session at one moment. Loads the recording and its renderer when the card
 * becomes visible.
 */
export function RecordingPreview(props: Props) {
  const [wasSeen, setWasSeen] = useState(false);
  const { ref, entry } = useIntersection();
  if (entry?.isIntersecting && !wasSeen) setWasSeen(true);
  const room = (
    <>
      <div className={styles.stage} />
      <div className={styles.controls} />
    </>
  );
  return (
    <Card title={t(words.recording)} icon={<IconPlayerPlay size={16} />}>
      <div ref={ref}>{wasSeen ? <RecordingPicture {...props} /> : room}</div>
    </Card>
  );
}
