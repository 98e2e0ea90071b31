import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../platform/errors.ts';
import { parseMultipart } from './multipart.ts';

const TYPE = 'multipart/form-data; boundary=b';
const part = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`;
const field = 'Content-Disposition: form-data; name="a"';
const parse = async (body: string, type = TYPE) =>
  (await parseMultipart(Buffer.from(body), type)).map(({ name, filename, content }) => [
    name,
    filename,
    content.toString(),
  ]);

describe('a form with files', () => {
  it('returns parts exactly, with any content', async () => {
    expect(
      await parse(
        `${part(field, 'x')}${part('content-disposition: form-data; name="f"; filename="é.json"\r\nContent-Type: text/plain', 'one\r\n\r\ntwo--b')}--b--\r\n`,
      ),
    ).toEqual([
      ['a', undefined, 'x'],
      ['f', 'é.json', 'one\r\n\r\ntwo--b'],
    ]);
    expect(await parse(`${part(`${field}; filename=""`, '')}--b--`)).toEqual([['a', '', '']]);
    expect(
      await parse(
        `${part(field, 'x').replaceAll('--b', '--c d')}--c d--`,
        'Multipart/Form-Data; charset=utf-8; boundary="c d"',
      ),
    ).toEqual([['a', undefined, 'x']]);
    expect(await parse('--b--\r\n')).toEqual([]);
  });

  it.each([
    ['no boundary', `${part(field, 'x')}--b--`, 'multipart/form-data'],
    ['another boundary', `${part(field, 'x')}--b--`, 'multipart/form-data; boundary=c'],
    ['no end', part(field, 'x'), TYPE],
    ['an end without its mark', `${part(field, 'x')}--b`, TYPE],
    ['a part without a name', `${part('Content-Disposition: form-data', 'x')}--b--`, TYPE],
    ['a header without end', `--b\r\n${field}\r\nx`, TYPE],
    ['too many parts', `${part(field, 'x').repeat(17)}--b--`, TYPE],
    ['nothing', '', TYPE],
  ])('is refused with %s', async (_what, body, type) => {
    await expect(parse(body, type)).rejects.toMatchObject({ code: 'malformed_form' });
  });

  it.each([
    ['a part without a header', part('', 'y')],
    ['a part of another disposition', part('Content-Disposition: attachment; name="b"', 'y')],
    ['a part whose name comes after 4 KiB', part(`X: ${'x'.repeat(5_000)}\r\n${field}`, 'y')],
    ['text before the first part', 'hello\r\n'],
  ])('ignores %s', async (_what, ignored) => {
    expect(await parse(`${ignored}${part(field, 'x')}--b--`)).toEqual([['a', undefined, 'x']]);
  });

  it('parses or rejects any input', async () => {
    const pieces = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\r\n\r\n',
      field,
      'filename="',
      '"',
      '\0',
      'x',
      ';',
      '--',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(pieces, fc.string()), { maxLength: 20 }),
        async (parts) => {
          try {
            await parseMultipart(Buffer.from(parts.join('')), TYPE);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
          }
        },
      ),
      runs(2_000),
    );
  });

  it('returns any bytes that a browser sends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const body = Buffer.concat([
          Buffer.from(`--long-boundary-2f9\r\n${field}; filename="x"\r\n\r\n`),
          bytes,
          Buffer.from('\r\n--long-boundary-2f9--\r\n'),
        ]);
        const parts = await parseMultipart(body, 'multipart/form-data; boundary=long-boundary-2f9');
        expect(parts[0]?.content).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
