import type { FeatureName, PublicSettings, Row, ticket } from '@sallyport/contract';
import type { ComponentType, ReactNode } from 'react';

export interface TicketPartProps {
  readonly ticket: Row<typeof ticket>;
  readonly refresh: () => Promise<void>;
  /** Content below the part. It appears after the part has loaded, so it does not move. */
  readonly children: ReactNode;
}

/** Components that a feature adds to pages of other features. */
export interface Parts {
  readonly feature: FeatureName;
  /** Above every page, for readers of the sessions of an organization. */
  readonly notice?: ComponentType<{ readonly className?: string }>;
  /** In the header of *My assets*, with a license. */
  readonly ownAssets?: ComponentType;
  /** On the page of a session that a ticket opened. */
  readonly openedSession?: ComponentType<{ readonly ticket: string }>;
  /** Above the comments of a ticket, by type. */
  readonly tickets?: Readonly<Record<string, ComponentType<TicketPartProps>>>;
}

/** Removes the parts of features that are off. */
export const partsOf = (
  parts: readonly Parts[],
  { FEATURES_OFF: off = [] }: Pick<PublicSettings, 'FEATURES_OFF'>,
): readonly Parts[] => parts.filter(({ feature }) => !off.includes(feature));
