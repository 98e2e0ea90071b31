import { Anchor, Group, Loader, Text, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { clock } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { paletteOf } from '../../../kit/page/palettes.ts';
import { RecordingError } from '../../../kit/recording/recording.ts';
import { replayAddress } from '../../base/addresses.ts';
import styles from './RecordingPicture.module.css';
import type { DrawnRecording, StillPicture } from './still-picture.ts';
import { words } from './words.ts';

/**
 * Size limits for pictures; the player shows longer recordings. Desktops stay compressed in memory
 * and are read in parts.
 */
const MOST_BYTES = { terminal: 8 * 1024 * 1024, desktop: 32 * 1024 * 1024 } as const;

/** Loads a recording and its renderer. @throws RecordingError */
async function loadDrawn(
  kind: 'terminal' | 'desktop',
  address: string,
  signal: AbortSignal,
): Promise<DrawnRecording> {
  const bounded = (bytes: number) => {
    if (bytes > MOST_BYTES[kind]) throw new RecordingError('too_large');
  };
  const { load } =
    kind === 'desktop' ? await import('./drawn-desktop.ts') : await import('./screen-picture.ts');
  return load(address, signal, bounded);
}

interface Props {
  readonly session: string;
  readonly kind: 'terminal' | 'desktop';
  /** Second of the session to show; undefined for its end. */
  readonly at: number | undefined;
  readonly onMove: (second: number) => void;
}

const failureOf = (error: unknown) =>
  error instanceof RecordingError && error.reason === 'too_large' ? 'too_large' : 'other';

/** The screen of a session at one moment, with a slider and a link to the player at that moment. */
export function RecordingPicture({ session, kind, at, onMove }: Props) {
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const host = useRef<HTMLDivElement>(null);
  const [recording, setRecording] = useState<DrawnRecording>();
  const [failure, setFailure] = useState<'too_large' | 'other'>();
  const [picture, setPicture] = useState<StillPicture>();

  useEffect(() => {
    const stop = new AbortController();
    setRecording(undefined);
    setFailure(undefined);
    loadDrawn(kind, `/api/v1/terminal/sessions/${session}/replay/file/`, stop.signal).then(
      setRecording,
      (error: unknown) => {
        if (!stop.signal.aborted) setFailure(failureOf(error));
        stop.abort();
      },
    );
    return () => stop.abort();
  }, [session, kind]);
  useEffect(() => {
    if (!host.current || !recording) return;
    const nextPicture = recording.draw(host.current, (error) => setFailure(failureOf(error)));
    setPicture(nextPicture);
    return () => nextPicture.dispose();
  }, [recording]);
  useEffect(() => picture?.setPalette(paletteOf(scheme)), [picture, scheme]);

  const duration = recording?.duration ?? 0;
  const second = Math.min(at ?? duration, duration);
  useEffect(() => {
    if (!picture) return;
    // Another moment may be small enough to draw.
    setFailure(undefined);
    picture.show(second);
  }, [picture, second]);

  const label = t(words.pictureAt, { time: clock(second), total: clock(duration) });
  return (
    <>
      <div className={styles.stage} style={{ background: paletteOf(scheme).background }}>
        {!recording && !failure && <Loader size={22} />}
        {failure && (
          <Text fz="sm" c={paletteOf(scheme).foreground ?? ''} px="md" ta="center">
            {t(failure === 'too_large' ? words.pictureTooLong : words.pictureFailed)}
          </Text>
        )}
        {recording && (
          <div
            role="img"
            aria-label={label}
            className={styles.picture}
            hidden={failure !== undefined}
          >
            <div ref={host} inert className={styles.picture} />
          </div>
        )}
      </div>
      <Group gap="md" wrap="nowrap" className={styles.controls ?? ''}>
        <input
          type="range"
          className={styles.slider}
          aria-label={t(words.moment)}
          aria-valuetext={label}
          min={0}
          max={Math.ceil(duration)}
          step={1}
          value={Math.ceil(second)}
          disabled={!recording}
          onChange={(event) => onMove(Number(event.currentTarget.value))}
        />
        <Text fz="sm" className="mono" style={{ whiteSpace: 'nowrap' }}>
          {recording ? label : ' '}
        </Text>
        <Anchor
          fz="sm"
          href={replayAddress(session, at)}
          target="_blank"
          rel="noopener"
          style={{ whiteSpace: 'nowrap' }}
        >
          {t(words.replayFromHere)}
        </Anchor>
      </Group>
    </>
  );
}
