import {
  choicesFor,
  type Field,
  type FieldMetadata,
  membersOf,
  metadataLimits,
  platform,
  Role,
} from '@sallyport/contract';
import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { FormPage } from './FormPage.tsx';
import { words } from './words.ts';

/** The server's description of fields, without texts. */
const describeAll = (
  fields: Readonly<Record<string, Field>>,
): Readonly<Record<string, FieldMetadata>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      {
        type: field.kind,
        label: '',
        required: field.required,
        read_only: field.mode === 'readonly',
        write_only: field.mode === 'writeonly',
        ...metadataLimits(field),
        ...(field.kind === 'object' && { children: describeAll(membersOf(field)) }),
        choices: choicesFor(field, Role.SuperAdmin)?.map(({ value }) => ({
          value,
          display_name: '',
        })),
      } as FieldMetadata,
    ]),
  );

const SAME = describeAll(platform.fields);
const { charset: _gone, ...OTHER } = SAME;

const GROUPS = [{ title: platform.title, fields: ['name', 'base', 'comment'] }] as const;

/** Opens the form of a new platform. Returns the server after its request for the fields. */
async function openForm(answer: { readonly status?: number; readonly body?: unknown }) {
  let drawnBefore: boolean | undefined;
  const server = new MemoryServer().on('OPTIONS', 'assets/platforms/', () => {
    drawnBefore = screen.queryAllByRole('textbox').length > 0;
    return answer;
  });
  await renderPage(<FormPage source={platform} groups={GROUPS} />, {
    path: '/assets/platforms/create',
  });
  await waitFor(() => expect(drawnBefore).toBe(true));
  return server;
}

it('offers a reload when the server describes other fields, and asks once, after the form is drawn', async () => {
  const server = await openForm({ body: { actions: { POST: OTHER, PUT: OTHER } } });
  const strip = await screen.findByRole('status');
  expect(strip.textContent).toContain(t(words.outdated));
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'OPTIONS assets/platforms/',
  ]);
});

it.each([
  ['describes the same fields', { body: { actions: { POST: SAME, PUT: SAME } } }],
  ['describes no fields', { body: {} }],
  ['fails', { status: 500, body: { code: 'failed', detail: 'x' } }],
])('offers no reload when the server %s', async (_what, answer) => {
  await openForm(answer);
  // The query has its answer when the page has drawn twice.
  await waitFor(() => expect(screen.getAllByRole('textbox').length).toBeGreaterThan(0));
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.queryByText(t(words.outdated))).toBeNull();
});
