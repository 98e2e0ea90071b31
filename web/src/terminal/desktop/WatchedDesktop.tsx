import type { DesktopFacts } from '@sallyport/contract';
import { useEffect, useRef } from 'react';
import { words as pictureWords } from '../../kit/desktop-recording/words.ts';
import { t } from '../../kit/i18n/index.ts';
import type { WaitingFrames, WatchConnection } from '../watch/watch-connection.ts';
import styles from './Desktop.module.css';
import { loadPictures } from './load-pictures.ts';
import type { Picture } from './picture.ts';
import { PointerMark } from './pointer-mark.ts';

/** The desktop of a watched session, with its user's pointer. */
export function WatchedDesktop({
  connection,
  facts,
  frames,
}: {
  readonly connection: WatchConnection;
  readonly facts: DesktopFacts;
  readonly frames: WaitingFrames;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (!current) return;
    let picture: Picture | null = null;
    let isOver = false;
    void loadPictures(facts.protocol).then((make) => {
      if (isOver) return;
      const opened = make(current, facts, {});
      picture = opened;
      frames.take(({ bytes, drawn }) => opened.receive(bytes, drawn));
    });
    const mark = new PointerMark(current, styles.pointer ?? '', () => picture?.area() ?? null);
    const stop = connection.on('pointer', ({ x, y }) => mark.move(x, y));
    return () => {
      isOver = true;
      stop();
      frames.take(null);
      mark.end();
      picture?.end();
    };
  }, [connection, facts, frames]);
  return (
    <div className={styles.watched}>
      <div
        ref={place}
        className={styles.picture}
        role="img"
        aria-label={t(pictureWords.pictureOf, { name: facts.name })}
      />
    </div>
  );
}
