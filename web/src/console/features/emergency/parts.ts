import { lazyComponent } from '../../../kit/lazy-component.tsx';
import type { Parts } from '../../base/parts.ts';

const card = () => import('./EmergencyCard.tsx');

export const emergencyParts: Parts = {
  feature: 'emergency',
  notice: lazyComponent(() =>
    import('./OpenEmergencies.tsx').then((module) => module.OpenEmergencies),
  ),
  ownAssets: lazyComponent(() =>
    import('./EmergencyButton.tsx').then((module) => module.EmergencyButton),
  ),
  openedSession: lazyComponent(() => card().then((module) => module.SessionReview)),
  tickets: { emergency: lazyComponent(() => card().then((module) => module.EmergencyCard)) },
};
