import { type Health, Permission } from '@sallyport/contract';
import { timeZone } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { LANGUAGE_NAMES, language, t } from '../../../kit/i18n/index.ts';
import { type ConsoleSession, releaseName } from '../../base/session.tsx';
import { words } from './words.ts';

export interface SupportFact {
  readonly name: string;
  readonly value: string;
}

/** Facts of this page that matter to support. */
export interface Surroundings {
  readonly agent: string;
  readonly width: number;
  readonly height: number;
}

const bitsOf = (role: number) =>
  Object.entries(Permission)
    .filter(([, bit]) => (role & bit) !== 0)
    .map(([name]) => name)
    .join(' + ');

/**
 * Facts to attach to a support request, about installation and browser, without secrets. `health`
 * is undefined if the server did not answer.
 */
export function supportFacts(
  session: ConsoleSession,
  health: Health | undefined,
  around: Surroundings,
): SupportFact[] {
  const state = (part: string) => {
    const known = health?.dependencies[part]?.status;
    return t(known ? (known === 'up' ? words.up : words.down) : words.unknown);
  };
  const { profile, organization, role, settings } = session;
  return [
    {
      name: t(words.version),
      value: `Sallyport ${releaseName(settings)}${settings.DEMO_MODE ? ' (demo)' : ''}`,
    },
    {
      name: t(words.license),
      value: t(settings.XPACK_LICENSE_IS_VALID ? words.licensed : words.unlicensed),
    },
    { name: t(words.database), value: state('database') },
    { name: t(words.recordings), value: state('recordings') },
    {
      name: t(words.serverTime),
      value: health ? formatDate(new Date(health.time * 1_000).toISOString()) : t(words.unknown),
    },
    { name: t(words.account), value: profile.username },
    { name: t(words.organization), value: organization?.name || t(words.unknown) },
    { name: t(words.role), value: bitsOf(role.current) },
    { name: t(words.browser), value: around.agent },
    { name: t(words.screen), value: `${around.width} × ${around.height}` },
    { name: t(words.zone), value: `${LANGUAGE_NAMES[language]}, ${timeZone()}` },
  ];
}

/** The facts as text for a mail. */
export const factsAsText = (facts: readonly SupportFact[]) =>
  facts.map(({ name, value }) => `${name}: ${value}`).join('\n');
