import type { ComponentType } from 'react';
import { EmergencyStatus } from './emergency/EmergencyStatus.tsx';

/** Components that features add to the status line of an open session. */
export const STATUS_PARTS: readonly ComponentType<{ readonly session: string }>[] = [
  EmergencyStatus,
];
