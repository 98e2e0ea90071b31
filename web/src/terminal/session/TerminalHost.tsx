import { useEffect, useRef } from 'react';
import type { TerminalView } from '../view/terminal-view.ts';
import styles from './SessionPane.module.css';

/** Element that holds a screen. The screen outlives this component. */
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
