import { type Language, say } from '../kit/text.ts';

const PROGRAMS: readonly [RegExp, string][] = [
  [/\bEdgA?\/|\bEdge\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^OpenSSH/, 'OpenSSH'],
  [/^PuTTY/, 'PuTTY'],
  [/^paramiko/, 'Paramiko'],
  [/^curl\//, 'curl'],
  [/^python-requests\/|^Python/i, 'Python'],
  [/^Go-http-client\//, 'Go'],
  [/^node\b|\bundici\b/i, 'Node.js'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const first = (list: readonly [RegExp, string][], text: string) =>
  list.find(([pattern]) => pattern.test(text))?.[1];

/** `sallyctl/2.1.0 (name of the device; linux)`: the name is what its user recognizes. */
const OWN_PROGRAM = /^sallyctl\/\S+ \(([^()]+); \w+\)$/;

/** The agent of a token, by the name that its owner gave it. */
const AGENT = /^sallyport-agent \((.+)\)$/;

/** Describes a user agent, such as `Firefox on Linux`; blank if it is unknown. */
export function deviceOf(userAgent: string, language: Language): string {
  const device = OWN_PROGRAM.exec(userAgent)?.[1];
  if (device) return `sallyctl · ${device}`;
  const agent = AGENT.exec(userAgent)?.[1];
  if (agent) return say({ en: 'Agent {agent}', zh: '智能体 {agent}' }, language, { agent });
  const program = first(PROGRAMS, userAgent);
  const system = first(SYSTEMS, userAgent);
  if (program && system)
    return say({ en: '{program} on {system}', zh: '{system} 上的 {program}' }, language, {
      program,
      system,
    });
  return program ?? system ?? '';
}
