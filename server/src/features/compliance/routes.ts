import {
  type CompliancePresets,
  choice,
  type Fields,
  formatDatetime,
  Permission,
  PRESETS,
  type PresetName,
  parseBody,
  say,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { type PageFact, sendPage } from '../../http/printed-page.ts';
import { readBody, route } from '../../http/route.ts';
import { fileOf, samples } from '../../http/shapes.ts';
import { displayName } from '../../platform/actor.ts';
import { Conflict, Invalid } from '../../platform/errors.ts';
import { RELEASE_NAME } from '../../platform/release.ts';
import { type Known, type SettingName, SUPER } from '../../platform/settings/service.ts';
import { type SettingsServices, storeSettings } from '../settings/index.ts';
import { type FactSources, readFacts } from './facts.ts';
import { type Evidence, planOf, presetReport } from './report.ts';
import { compliancePage, countsText, PAGE_WORDS } from './report-page.ts';
import { type LastChange, lastChange, operateLogHead, valuesBefore } from './store.ts';

const URL = '/api/v1/settings/presets/';
const READ = Permission.SUPER | Permission.AUDIT;

const preset = choice({
  label: { en: 'Preset', zh: '预设' },
  choices: PRESETS.map(({ name, title }) => ({ value: name, label: title })),
  example: 'team',
});
const BODY = { preset } as const;
const REPORT_QUERY = {
  preset,
  language: choice({
    label: { en: 'Language', zh: '语言' },
    choices: [
      { value: 'en', label: { en: 'English', zh: '英文' } },
      { value: 'zh', label: { en: 'Chinese', zh: '中文' } },
    ],
    required: false,
  }),
} as const;

const EXAMPLE: CompliancePresets = {
  active: 'team',
  undo: {
    date: '2026-11-27 10:00:00 +0800',
    user: 'Li Wei(li.wei)',
    preset: '',
    values: { SECURITY_PASSWORD_MIN_LENGTH: 6 },
  },
  presets: [
    {
      name: 'team',
      title: 'Team',
      note: 'For a few people who know each other.',
      values: { SECURITY_PASSWORD_MIN_LENGTH: 10 },
      changes: [
        {
          name: 'SECURITY_PASSWORD_MIN_LENGTH',
          label: 'Minimum password length',
          from: '6',
          to: '10',
        },
      ],
      clauses: [
        {
          reference: '8.1.4.1 a',
          title: 'Each user is identified; passwords are strong and renewed',
          state: 'gap',
          proofs: [
            {
              setting: 'SECURITY_PASSWORD_MIN_LENGTH',
              label: 'Minimum password length',
              value: '6',
              wanted: 'At least 10',
              met: false,
            },
          ],
          built_in: '',
          organization: 'Give each person an account.',
        },
      ],
    },
  ],
};

/** Without settings to change. */
const DONE: CompliancePresets = {
  ...EXAMPLE,
  undo: EXAMPLE.undo && { ...EXAMPLE.undo, values: {} },
  presets: EXAMPLE.presets.map((one) => ({ ...one, values: {} })),
};
const ANSWER = samples<CompliancePresets>(EXAMPLE, DONE, { ...EXAMPLE, active: '', undo: null });

export interface ComplianceOptions extends SettingsServices, FactSources {
  readonly settings: SettingsServices['settings'];
}

/** @throws Invalid */
function queryOf({ query, zone }: Context, fields: Fields) {
  const body = Object.fromEntries(
    Object.keys(fields).flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])),
  );
  const { values, problems } = parseBody(fields, body, 'create', { zone });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values;
}

async function pageFacts(
  { db, settings }: ComplianceOptions,
  { actor, zone }: Context,
  language: 'en' | 'zh',
): Promise<PageFact[]> {
  const head = await operateLogHead(db);
  const line = (name: keyof typeof PAGE_WORDS, value: string): PageFact => [
    say(PAGE_WORDS[name], language),
    value,
  ];
  return [
    line('date', `${formatDatetime(new Date(), zone)} (${zone})`),
    line('by', displayName(actor)),
    line('version', RELEASE_NAME),
    line('site', settings.get('SITE_URL')),
    ...(head ? [line('log', say(PAGE_WORDS.row, language, { ...head }))] : []),
  ];
}

/** Routes of the compliance presets: plans, reports, apply and undo. */
export function mountCompliance(app: FastifyInstance, options: ComplianceOptions): void {
  const { db, settings } = options;
  const evidence = async (): Promise<Evidence> => ({
    read: (name) => settings.get(name),
    facts: await readFacts(options),
  });
  const currentOf = ({ settings: changed }: LastChange) =>
    Object.fromEntries(
      Object.keys(changed).map((name) => [name, settings.get(name as SettingName)]),
    );
  const overview = async (context: Context): Promise<CompliancePresets> => {
    const read = await evidence();
    const active = settings.get('COMPLIANCE_PRESET');
    const last = await lastChange(db, active);
    return {
      active: PRESETS.find(({ name }) => name === active)?.name ?? '',
      undo: last
        ? {
            date: formatDatetime(last.date, context.zone),
            user: last.user,
            preset: last.before,
            values: valuesBefore(last, currentOf(last)),
          }
        : null,
      presets: PRESETS.map((each) => presetReport(each, read, context)),
    };
  };
  route(app, {
    method: 'GET',
    url: URL,
    access: READ,
    area: 'reports',
    summary:
      'The compliance presets: the settings that each would change, and the state of each clause. For the active preset the changes are drift.',
    answer: ANSWER,
    handler: overview,
  });
  route(app, {
    method: 'GET',
    url: `${URL}report/`,
    access: READ,
    area: 'reports',
    summary: 'The report of a preset by clause, as a page to print.',
    query: REPORT_QUERY,
    answer: fileOf('text/html', '<!doctype html><title>Compliance report</title>'),
    async handler(context) {
      const values = queryOf(context, REPORT_QUERY);
      const language =
        values.language === 'en' || values.language === 'zh' ? values.language : context.language;
      const chosen = PRESETS.find(({ name }) => name === values.preset) ?? PRESETS[0];
      const report = presetReport(chosen, await evidence(), { ...context, language });
      const facts: PageFact[] = [
        [say(PAGE_WORDS.preset, language), report.title],
        ...(await pageFacts(options, context, language)),
        [say(PAGE_WORDS.summary, language), countsText(report.clauses, language)],
      ];
      const moment = formatDatetime(new Date(), context.zone);
      sendPage(context.reply, `compliance-${chosen.name}`, moment);
      return compliancePage(report, facts, language);
    },
  });
  const decide = (name: PresetName) => (before: Known) => ({
    values: planOf(name, (setting) => before[setting], before.SERVER_LANGUAGE),
    preset: name,
  });
  route(app, {
    method: 'POST',
    url: URL,
    access: SUPER,
    area: 'security',
    summary:
      'Apply a preset in one transaction. Stronger values stay. The operate log gets one entry, which undo reads.',
    body: BODY,
    answer: ANSWER,
    async handler(context) {
      const { preset: name } = readBody(context, BODY);
      await storeSettings(options, context, decide(name));
      return overview(context);
    },
  });
  route(app, {
    method: 'POST',
    url: `${URL}undo/`,
    access: SUPER,
    area: 'security',
    summary:
      'Undo the newest preset: settings that were not changed since get their earlier values.',
    answer: ANSWER,
    async handler(context) {
      await storeSettings(options, context, async (before, tx) => {
        const last = await lastChange(tx, before.COMPLIANCE_PRESET);
        if (!last) throw new Conflict('no_preset_to_undo');
        return { values: { ...valuesBefore(last, before) }, preset: last.before };
      });
      return overview(context);
    },
  });
}
