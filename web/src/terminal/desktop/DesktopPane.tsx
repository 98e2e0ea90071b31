import { Badge, Button, Menu } from '@mantine/core';
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import {
  IconAspectRatio,
  IconCheck,
  IconGauge,
  IconKeyboard,
  IconMaximize,
  IconMinimize,
} from '../icons.ts';
import { words as windowWords } from '../words.ts';
import { useFullScreen } from '../workspace/useFullScreen.ts';
import { ClipboardPanel } from './ClipboardPanel.tsx';
import styles from './Desktop.module.css';
import { DrivePanel } from './DrivePanel.tsx';
import type { DesktopTab } from './desktop-tab.ts';
import { FilesPanel } from './FilesPanel.tsx';
import { isWayOut, KEY_CHOICES } from './keys.ts';
import { abilitiesOf, type Fit, type Quality } from './picture.ts';
import { TypingField } from './TypingField.tsx';
import { words } from './words.ts';

interface ChoiceProps<Value extends Fit | Quality> {
  readonly label: string;
  readonly icon: ReactNode;
  readonly values: readonly Value[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

function Choice<Value extends Fit | Quality>({
  label,
  icon,
  values,
  chosen,
  onChoose,
}: ChoiceProps<Value>) {
  return (
    <Menu position="bottom-start" withinPortal={false}>
      <Menu.Target>
        <ToolButton label={`${label}: ${t(words[chosen])}`} tip={label} size={30}>
          {icon}
        </ToolButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{label}</Menu.Label>
        {values.map((value) => (
          <Menu.Item
            key={value}
            rightSection={value === chosen ? <IconCheck size={14} /> : null}
            onClick={() => onChoose(value)}
          >
            {t(words[value])}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Tool({
  label,
  icon: Icon,
  isPressed,
  onClick,
}: {
  readonly label: string;
  readonly icon: typeof IconKeyboard;
  /** State of a toggle. */
  readonly isPressed?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <ToolButton label={label} size={30} aria-pressed={isPressed} onClick={onClick}>
      <Icon size={18} />
    </ToolButton>
  );
}

/** Presses keys that the browser or the computer of the user would take. */
function KeysMenu({
  desktop,
  buttonRef,
}: {
  readonly desktop: DesktopTab;
  readonly buttonRef: RefObject<HTMLButtonElement | null>;
}) {
  return (
    <Menu position="bottom-start" withinPortal={false}>
      <Menu.Target>
        <Button ref={buttonRef} variant="subtle" color="gray" size="compact-sm">
          {t(words.keys)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {KEY_CHOICES.map(({ label, keys }) => (
          <Menu.Item
            key={label}
            onClick={() => {
              desktop.press(keys);
              desktop.focus();
            }}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Moves the focus from the desktop to its first tool, by keys that the desktop does not get. */
function useWayOut(desktop: DesktopTab, first: RefObject<HTMLElement | null>) {
  useEffect(() => {
    // Before noVNC takes the key: it would send it to the desktop.
    const hear = (event: globalThis.KeyboardEvent) => {
      if (!isWayOut(event)) return;
      event.preventDefault();
      event.stopPropagation();
      desktop.release();
      first.current?.focus();
    };
    const { element } = desktop;
    element.addEventListener('keydown', hear, { capture: true });
    // A desktop in a frame handles its own key events.
    const stop = desktop.on('leave', () => first.current?.focus());
    return () => {
      stop();
      element.removeEventListener('keydown', hear, { capture: true });
    };
  }, [desktop, first]);
}

/** A desktop and its tools. */
export function DesktopPane({
  desktop,
  isOpen,
}: {
  readonly desktop: DesktopTab;
  readonly isOpen: boolean;
}) {
  const { rights, areKeysRecorded, copied, fit, quality, facts, isResizable } =
    useSyncExternalStore(desktop.subscribe, desktop.snapshot);
  const [full, toggleFull] = useFullScreen();
  const [typing, setTyping] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    desktop.element.className = styles.picture ?? '';
    place.current?.append(desktop.element);
    return () => desktop.element.remove();
  }, [desktop]);
  useWayOut(desktop, first);
  const isShown = isOpen && facts !== null;
  const { fits, qualities } = abilitiesOf(facts?.protocol ?? 'vnc', isResizable);
  return (
    <div className={styles.desktop}>
      {isShown ? (
        <div className={styles.tools} role="toolbar" aria-label={t(words.tools)}>
          <KeysMenu desktop={desktop} buttonRef={first} />
          <ClipboardPanel desktop={desktop} rights={rights} copied={copied} />
          <FilesPanel files={desktop.files} />
          <DrivePanel drive={desktop.drive} />
          <Choice
            label={t(words.fit)}
            icon={<IconAspectRatio size={18} />}
            values={fits}
            chosen={fit}
            onChoose={(value) => desktop.setFit(value)}
          />
          {qualities.length > 0 ? (
            <Choice
              label={t(words.quality)}
              icon={<IconGauge size={18} />}
              values={qualities}
              chosen={quality}
              onChoose={(value) => desktop.setQuality(value)}
            />
          ) : null}
          <Tool
            label={t(words.screenKeyboard)}
            icon={IconKeyboard}
            isPressed={typing}
            onClick={() => setTyping(!typing)}
          />
          <Tool
            label={t(full ? windowWords.leaveFullScreen : windowWords.fullScreen)}
            icon={full ? IconMinimize : IconMaximize}
            onClick={toggleFull}
          />
          {areKeysRecorded ? (
            <Badge role="status" color="red" variant="light" ml={6}>
              {t(words.keysRecorded)}
            </Badge>
          ) : null}
          <span className={styles.hint}>{t(words.wayOut)}</span>
          {typing ? <TypingField desktop={desktop} /> : null}
        </div>
      ) : (
        // The picture's area has its size before the desktop begins.
        <div className={styles.tools} />
      )}
      <div ref={place} className={styles.place} />
    </div>
  );
}
