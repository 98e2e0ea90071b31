import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../platform/errors.ts';
import { parseMultipart } from './multipart.ts';

const TYPE = 'multipart/form-data; boundary=b';
const part = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`;
const field = 'Content-Disposition: form-data; name="a"';
const parse = (body: string, type = TYPE) =>
  parseMultipart(Buffer.from(body), type).map(({ name, filename, content }) => [
    name,
    filename,
    content.toString(),
  ]);

describe('a form with files', () => {
  it('returns parts exactly, with any content', () => {
    expect(
      parse(
        `${part(field, 'x')}${part('content-disposition: form-data; name="f"; filename="é.json"\r\nContent-Type: text/plain', 'one\r\n\r\ntwo--b')}--b--\r\n`,
      ),
    ).toEqual([
      ['a', undefined, 'x'],
      ['f', 'é.json', 'one\r\n\r\ntwo--b'],
    ]);
    expect(parse(`${part(`${field}; filename=""`, '')}--b--`)).toEqual([['a', '', '']]);
    expect(
      parse(
        `${part(field, 'x').replaceAll('--b', '--c d')}--c d--`,
        'Multipart/Form-Data; charset=utf-8; boundary="c d"',
      ),
    ).toEqual([['a', undefined, 'x']]);
    expect(parse('--b--\r\n')).toEqual([]);
  });

  it.each([
    ['no boundary', `${part(field, 'x')}--b--`, 'multipart/form-data'],
    ['another boundary', `${part(field, 'x')}--b--`, 'multipart/form-data; boundary=c'],
    ['no end', part(field, 'x'), TYPE],
    ['an end without its mark', `${part(field, 'x')}--b`, TYPE],
    ['a part without a name', `${part('Content-Disposition: form-data', 'x')}--b--`, TYPE],
    ['a part without a header', `${part('', 'x')}--b--`, TYPE],
    ['another disposition', `${part('Content-Disposition: attachment; name="a"', 'x')}--b--`, TYPE],
    ['a header without end', `--b\r\n${field}\r\nx`, TYPE],
    ['an endless header', `${part(`${field}\r\nX: ${'x'.repeat(5_000)}`, 'x')}--b--`, TYPE],
    ['words before it', `hello\r\n${part(field, 'x')}--b--`, TYPE],
    ['too many parts', `${part(field, 'x').repeat(17)}--b--`, TYPE],
    ['nothing', '', TYPE],
  ])('is refused with %s', (_what, body, type) => {
    expect(() => parse(body, type)).toThrow(AppError);
  });

  it('parses or rejects any input', () => {
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
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 20 }), (parts) => {
        try {
          parseMultipart(Buffer.from(parts.join('')), TYPE);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
      runs(2_000),
    );
  });

  it('returns any bytes that a browser sends', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const body = Buffer.concat([
          Buffer.from(`--long-boundary-2f9\r\n${field}; filename="x"\r\n\r\n`),
          bytes,
          Buffer.from('\r\n--long-boundary-2f9--\r\n'),
        ]);
        expect(
          parseMultipart(body, 'multipart/form-data; boundary=long-boundary-2f9')[0]?.content,
        ).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
