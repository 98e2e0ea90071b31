import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { PANEL_WIDTHS } from '../settings/settings.ts';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import { words } from '../words.ts';
import styles from './Workspace.module.css';

const STEP = 16;

/** The edge of the asset panel: drag it, or use the arrow keys; a double click restores the usual width. */
export function PanelEdge() {
  const { panelWidth } = useSettings();
  const grip = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const set = (width: number) => settingsStore.change({ panelWidth: width });
  const onPointerDown = (event: PointerEvent<HTMLHRElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { x: event.clientX, width: panelWidth };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (grip.current) set(grip.current.width + event.clientX - grip.current.x);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') set(panelWidth - STEP);
    else if (event.key === 'ArrowRight') set(panelWidth + STEP);
    else if (event.key === 'Home') set(PANEL_WIDTHS.smallest);
    else if (event.key === 'End') set(PANEL_WIDTHS.largest);
  };
  return (
    <hr
      className={styles.edge}
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t(words.panelWidth)}
      aria-valuenow={panelWidth}
      aria-valuemin={PANEL_WIDTHS.smallest}
      aria-valuemax={PANEL_WIDTHS.largest}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        grip.current = null;
      }}
      onDoubleClick={() => set(PANEL_WIDTHS.usual)}
      onKeyDown={onKeyDown}
    />
  );
}
