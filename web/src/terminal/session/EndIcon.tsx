import type { ComponentType } from 'react';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconClockPause,
  IconClockX,
  IconFingerprint,
  IconHandStop,
  IconLock,
  IconPlugConnectedX,
  IconServerOff,
  IconShieldX,
} from '../icons.ts';
import type { EndIcon as Name } from './session-end.ts';

const ICONS: Readonly<Record<Name, ComponentType<{ readonly size?: number }>>> = {
  finished: IconCircleCheck,
  server: IconServerOff,
  lock: IconLock,
  clock: IconClockX,
  idle: IconClockPause,
  fingerprint: IconFingerprint,
  hand: IconHandStop,
  line: IconPlugConnectedX,
  shield: IconShieldX,
  alert: IconAlertTriangle,
};

/** Icon of an end. The text next to it says the same, so screen readers skip it. */
export function EndIcon({ name, size }: { readonly name: Name; readonly size: number }) {
  const Icon = ICONS[name];
  return (
    <span aria-hidden="true" style={{ display: 'inline-flex' }}>
      <Icon size={size} />
    </span>
  );
}
