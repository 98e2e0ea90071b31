import { useEffect, useRef } from 'react';
import type { TerminalView } from '../view/terminal-view.ts';
import styles from './SessionPane.module.css';

/** The place in the page where a screen hangs. The screen itself lives longer than this. */
export function TerminalHost({
  view,
  visible,
}: {
  readonly view: TerminalView;
  readonly visible: boolean;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current) view.mount(host.current);
    return () => view.unmount();
  }, [view]);
  useEffect(() => {
    view.setVisible(visible);
  }, [view, visible]);
  return <div ref={host} className={styles.host} />;
}
