import { isDeepStrictEqual } from 'node:util';
import { controlledSettings, PRESETS, type ProposedChange, say } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import type { SettingName } from '../../platform/settings/service.ts';
import { changeSettingsIn, PRESET, type SettingsServices } from '../settings/index.ts';
import type { StoredChange, Values } from './store.ts';

export const isSetting = ({ resource }: ProposedChange): boolean =>
  resource === controlledSettings.name;

/** Returns the names of a proposal. @throws Invalid for other settings, and for categories */
function namesIn({ body = {} }: ProposedChange): string[] {
  const names = Object.keys(body);
  const other = names.find((name) => !Object.hasOwn(controlledSettings.fields, name));
  if (other !== undefined) throw invalid(other.slice(0, 64), 'unknown_field');
  return names.filter((name) => controlledSettings.fields[name]?.kind !== 'secret');
}

/** @throws Invalid for an unknown compliance preset */
function presetIn(value: unknown): string | undefined {
  if (value === undefined || value === '') return value;
  const preset = PRESETS.find(({ name }) => name === value);
  if (!preset) throw invalid(PRESET, 'not_choice', { value: String(value).slice(0, 64) });
  return preset.name;
}

const onlyOf = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

interface Options {
  readonly settings: SettingsServices;
  readonly caller: Caller;
  readonly tx: Tx;
  /** True for a proposal: its caller proves the identity where the settings page asks for it. */
  readonly confirms: boolean;
  /** Called with the values before the write. May throw. */
  readonly check: (before: Values) => void;
}

/** Changes the settings of a proposal. Returns it with the values before and after. */
export async function makeSettingChange(
  proposed: ProposedChange,
  { settings, caller, tx, confirms, check }: Options,
): Promise<StoredChange> {
  const names = namesIn(proposed);
  const read = async (): Promise<Values> => {
    const known = await settings.settings.read(tx);
    return Object.fromEntries(names.map((name) => [name, known[name as SettingName] ?? null]));
  };
  const before = await read();
  check(before);
  const { [PRESET]: preset, ...body } = proposed.body ?? {};
  await changeSettingsIn(tx, settings, { caller, body, preset: presetIn(preset), confirms });
  const after = await read();
  // A form sends its other settings, too. A blank secret keeps the stored one.
  const changed = Object.entries(proposed.body ?? {}).filter(([name, value]) =>
    names.includes(name) ? !isDeepStrictEqual(before[name], after[name]) : value !== '',
  );
  const kept = confirms ? changed.map(([name]) => name) : names;
  const name = changed
    .map(([key]) => controlledSettings.fields[key]?.label)
    .map((label) => (label ? say(label, caller.language) : ''))
    .join(', ')
    .slice(0, 128);
  return {
    proposed: confirms ? { ...proposed, body: Object.fromEntries(changed) } : proposed,
    object: '',
    name,
    before: onlyOf(before, kept),
    after: onlyOf(after, kept),
  };
}
