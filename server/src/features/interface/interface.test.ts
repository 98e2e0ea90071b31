import { deflateSync } from 'node:zlib';
import type { InterfaceSetting, PublicSettings } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { buildLicense, formBody } from '../../testing/license.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { findDanger, isTooHeavy } from './svg.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const URL = 'xpack/interface/setting';
const RESTORE = 'xpack/interface/restore';
const SVG =
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><!-- mark --><g fill="url(#a)"><path d="M0 0h8v8z"/></g></svg>\n';
const OWN = {
  login_title: '',
  logo_index: '/favicon.svg',
  logo_logout: '/favicon.svg',
  login_image: '/favicon.svg',
  favicon: '/favicon.svg',
};

const chunk = (type: string, data: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([
    length,
    Buffer.from(type),
    data,
    Buffer.from(type === 'IEND' ? 'ae426082' : '00000000', 'hex'),
  ]);
};
function png(width = 185, height = 55): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(9))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
/** A short drawing of a billion circles. */
const BOMB = `<svg xmlns="http://www.w3.org/2000/svg"><g id="a0"><circle r="1"/></g>${Array.from(
  { length: 30 },
  (_, index) => `<g id="a${index + 1}"><use href="#a${index}"/><use href="#a${index}"/></g>`,
).join('')}</svg>`;
const ICON = Buffer.concat([
  Buffer.from('000001000100101000000100200004000000' + '16000000', 'hex'),
  Buffer.from('abcd'),
]);

const put = (parts: Record<string, string | Blob>) =>
  admin.sendForm<InterfaceSetting & Json>('PUT', URL, formBody(parts));
const publicBranding = async () =>
  (await test.visitor.get<{ data: PublicSettings }>('settings/public/')).body.data;

describe('the look of the pages', () => {
  beforeEach(async () => {
    expect((await admin.put(RESTORE)).status).toBe(200);
  });

  it('shows the default branding until it is changed, and after it was restored', async () => {
    expect((await admin.get(URL)).body).toEqual(OWN);
    const { body } = await put({
      login_title: 'Example 公司',
      logo_index: new Blob([png()]),
      login_image: new Blob([SVG]),
      favicon: new Blob([ICON]),
    });
    expect(body).toMatchObject({
      login_title: 'Example 公司',
      logo_index: expect.stringMatching(/^\/static\/interface\/logo_index-[0-9a-f]{32}\.png$/),
      login_image: expect.stringMatching(/\.svg$/),
      favicon: expect.stringMatching(/\.ico$/),
      logo_logout: '/favicon.svg',
    });
    const { LOGO_URLS, LOGIN_TITLE } = await publicBranding();
    expect({ login_title: LOGIN_TITLE, ...LOGO_URLS }).toEqual(body);
    expect((await admin.put(RESTORE)).body).toEqual(OWN);
    expect((await publicBranding()).LOGIN_TITLE).toBe('');
  });

  it('serves pictures without sign-in, with their media type, and without the ability to run code', async () => {
    const { body } = await put({ logo_index: new Blob([png()]), login_image: new Blob([SVG]) });
    for (const [address, type] of [
      [body.logo_index, 'image/png'],
      [body.login_image, 'image/svg+xml'],
    ] as const) {
      const { status, headers } = await test.visitor.get(address);
      expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
        200,
        type,
        'nosniff',
      ]);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      );
    }
    const loaded = await fetch(new globalThis.URL(body.logo_index, test.program.url));
    expect(Buffer.from(await loaded.arrayBuffer()).equals(png())).toBe(true);
    expect((await test.visitor.get('/static/interface/logo_index-0.png')).status).toBe(404);
  });

  it('changes the sent fields, keeps absent ones, and removes blank ones', async () => {
    const first = (
      await put({
        login_title: 'One',
        logo_index: new Blob([png()]),
        favicon: new Blob([png(16, 16)]),
      })
    ).body;
    const second = (await put({ login_title: 'Two', logo_index: '' })).body;
    expect(second).toEqual({ ...OWN, login_title: 'Two', favicon: first.favicon });
    // As browsers send an empty file field.
    expect((await put({ favicon: new Blob([]) })).body).toEqual(second);
    const { body } = await admin.get<Page<{ resource_type: string; changes: Json }>>(
      'audits/operate-logs/?limit=1',
    );
    expect(body.results[0]).toMatchObject({
      resource_type: 'Interface',
      changes: { login_title: ['One', 'Two'] },
    });
  });

  it('detects the type of a file by its content, and changes nothing when one is rejected', async () => {
    const broken = png();
    for (const [name, content, said] of [
      ['logo_index', '<html><script>alert(1)</script></html>', 'This is not a PNG, SVG picture.'],
      ['logo_index', ICON, 'This is not a PNG, SVG picture.'],
      ['favicon', 'GIF89a', 'This is not a PNG, SVG, ICO picture.'],
      ['login_image', broken.subarray(0, -1), 'This is not a PNG, SVG picture.'],
      ['login_image', png(5_000, 10), 'This is not a PNG, SVG picture.'],
      [
        'logo_logout',
        SVG.replace('<g', '<script>alert(1)</script><g'),
        'This SVG contains more than a drawing (<script>), so it was refused.',
      ],
      ['logo_logout', BOMB, 'This SVG refers to itself too often. Simplify it and try again.'],
      [
        'logo_logout',
        Buffer.concat([png(), Buffer.alloc(1024 * 1024)]),
        'The file is larger than 1048576 bytes.',
      ],
      ['nonsense', SVG, 'Unknown field.'],
    ] as const) {
      const { status, body } = await put({
        login_title: 'Changed',
        [name]: new Blob([content as string]),
      });
      expect([status, body]).toEqual([400, { [name]: [said] }]);
    }
    expect((await put({ login_title: 'x'.repeat(65) })).body).toEqual({
      login_title: ['Ensure this field has no more than 64 characters.'],
    });
    expect((await admin.get(URL)).body).toEqual(OWN);
  });

  it('allows super administrators with a license, and shows the default branding without one', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect((await auditor.sendForm('PUT', URL, formBody({ login_title: 'x' }))).status).toBe(403);
    expect((await test.visitor.put(RESTORE)).status).toBe(401);

    await put({ login_title: 'Example' });
    const put_license = async (expired: string) => {
      await sql`update license
        set content = ${JSON.stringify(buildLicense({ expired }))}::jsonb`.execute(test.db);
      await sql`select pg_notify('settings', '')`.execute(test.db);
    };
    await put_license('2020-01-31');
    await expect.poll(async () => (await publicBranding()).LOGIN_TITLE).toBe('');
    expect(await put({ login_title: 'Other' })).toMatchObject({
      status: 403,
      body: { code: 'license_required' },
    });
    await put_license('2099-12-31');
    await expect.poll(async () => (await publicBranding()).LOGIN_TITLE).toBe('Example');
  });
});

describe('a drawing', () => {
  const inside = (content: string, attributes = '') =>
    `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${content}</svg>`;
  it.each([
    SVG,
    inside(''),
    inside('<use href="#a"/>'),
    inside('<text x="1" style="fill:#fff">A &amp; B</text>'),
    '<svg/>',
  ])('accepts the drawing %s', (text) => {
    expect(findDanger(text)).toBeUndefined();
  });

  it.each([
    [
      'names that draw each other',
      inside('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
      true,
    ],
    ['a name that draws itself', inside('<g id="a"><path fill="url(#a)"/></g>'), true],
    [
      'patterns in patterns',
      inside(
        Array.from(
          { length: 20 },
          (_, n) => `<pattern id="p${n}">${`<path fill="url(#p${n + 1})"/>`.repeat(9)}</pattern>`,
        ).join(''),
      ),
      true,
    ],
    ['a billion circles', BOMB, true],
    [
      'a chain without an end',
      inside(
        Array.from({ length: 20_000 }, (_, n) => `<g id="c${n}"><use href="#c${n + 1}"/></g>`).join(
          '',
        ),
      ),
      true,
    ],
    ['more elements than any logo has', inside('<path/>'.repeat(50_001)), true],
    [
      'shapes that share a gradient',
      inside(
        `<defs><linearGradient id="a"><stop/></linearGradient><linearGradient id="b" xlink:href="#a"/></defs>${'<path fill="url(#b)"/>'.repeat(200)}`,
      ),
      false,
    ],
    [
      'a layer with a symbol in it',
      inside(
        '<symbol id="s"><path/></symbol><g id="layer1"><use href="#s"/><use href="#s"/></g><use href="#nothing"/>',
      ),
      false,
    ],
  ])('weighs %s', (_what, text, heavy) => {
    expect([findDanger(text), isTooHeavy(text)]).toEqual([undefined, heavy]);
  });

  it.each([
    [inside('<script>alert(1)</script>'), '<script>'],
    [inside('<SCRIPT/>'), '<SCRIPT>'],
    [inside('<foreignObject><body/></foreignObject>'), '<foreignObject>'],
    [inside('<image href="https://example.com/a.png"/>'), '<image>'],
    [inside('<style>@import url(https://example.com)</style>'), '<style>'],
    [inside('<animate attributeName="href" to="javascript:alert(1)"/>'), '<animate>'],
    [inside('<a href="#x"/>'), '<a>'],
    [inside('', ' onload="alert(1)"'), 'onload'],
    [inside('', ' ONLOAD="alert(1)"'), 'ONLOAD'],
    [inside('<use href="https://example.com/a.svg#b"/>'), 'href'],
    [inside('<use xlink:href="data:image/svg+xml,x"/>'), 'xlink:href'],
    [inside('<path fill="url(https://example.com/a)"/>'), 'fill'],
    [inside('<path style="background:u\\72l(//example.com)"/>'), 'style'],
    [inside('<path fill="&#117;rl(//example.com)"/>'), 'fill'],
    [inside('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'), '<x:script>'],
    [inside('<g'), '<g</svg'],
    [inside('<g></path>'), '</path>'],
    [inside('<![CDATA[x]]>'), '<![CDATA[x]]'],
    ['<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', '<!DOCTYPE'],
    ['<svg/><svg/>', '<svg>'],
    ['<svg><g>', '<svg>'],
    ['<?xml-stylesheet href="https://example.com/a.css"?><svg/>', '<?xml-stylesheet'],
    ['', '<svg>'],
  ])('rejects a drawing with %s', (text, danger) => {
    expect(findDanger(text)).toBe(danger);
  });
});

it('names the pages of the operator to signed-in callers only', async () => {
  const basic = {
    HELP_DOCS_URL: 'https://wiki.example.com/',
    HELP_SUPPORT_URL: '',
    HELP_ENTERPRISE_URL: 'https://vendor.example.com/?edition=enterprise',
    TASK_MONITOR_URL: 'http://flower.example.com/',
  };
  expect((await admin.patch('settings/setting/', { basic })).status).toBe(200);
  const pagesFor = async (client: Client) =>
    (await client.get<{ data: PublicSettings }>('settings/public/')).body.data.OUTSIDE_PAGES;
  expect(await pagesFor(await bearer(test, await buildUser(test.db)))).toEqual({
    docs: basic.HELP_DOCS_URL,
    support: '',
    enterprise: basic.HELP_ENTERPRISE_URL,
    monitor: basic.TASK_MONITOR_URL,
  });
  expect(await pagesFor(test.visitor)).toBeUndefined();
  for (const address of ['javascript:alert(1)', 'wiki', 'ftp://wiki.example.com/'])
    expect([
      address,
      (await admin.patch('settings/setting/', { basic: { HELP_DOCS_URL: address } })).status,
    ]).toEqual([address, 400]);
});

it('names the address of mailed links to signed-in callers, unless the operator fixed it', async () => {
  const siteFor = async (client: Client) =>
    (await client.get<{ data: PublicSettings }>('settings/public/')).body.data.MAIL_SITE;
  const basic = { SITE_URL: 'https://gate.example.com/' };
  expect((await admin.patch('settings/setting/', { basic })).status).toBe(200);
  expect(await siteFor(await bearer(test, await buildUser(test.db)))).toBe(basic.SITE_URL);
  expect(await siteFor(test.visitor)).toBeUndefined();

  const fixed = await startTestProgram({
    publicUrl: 'https://bastion.example.com',
    allowedHosts: ['127.0.0.1'],
  });
  try {
    expect(await siteFor(await bearer(fixed))).toBeUndefined();
  } finally {
    await fixed.stop();
  }
});
