import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';

/** Value of a cell; null is an empty cell. Numbers stay numbers; texts are never formulas. */
export type Cell = string | number | null;

/** Maximum rows of a sheet including the header (ECMA-376 and Excel). */
const MOST_ROWS = 1_048_576;
/** Maximum digits of a number that Excel keeps. */
const MOST_DIGITS = 15;
/** Maximum characters of a cell. */
const MOST_CHARACTERS = 32_767;
const COLUMN_WIDTH = 24;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // XML readers turn a bare one into a line feed.
  '\r': '&#13;',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Begins an escaped character: Excel reads `_x0041_` as `A` (ECMA-376, 22.9.2.19). */
const ESCAPE = /_(?=x[0-9a-f]{4}_)/gi;

/** Escapes a text for XML. Replaces control characters, which XML does not allow. */
function escaped(text: string): string {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
  const plain = short.toWellFormed().replace(NO_XML, '\ufffd').replace(ESCAPE, '_x005F_');
  return plain.replace(/[&<>"\r]/g, (character) => ENTITIES[character] ?? '');
}

/** Returns true if Excel keeps all digits of a number. */
const isKept = (value: number): boolean =>
  Number.isFinite(value) && String(value).replace(/e.*|\D/g, '').length <= MOST_DIGITS;

function cellXml(value: Cell, facts: string): string {
  if (typeof value === 'number' && isKept(value)) return `<c${facts}><v>${value}</v></c>`;
  return value === null
    ? `<c${facts}/>`
    : `<c${facts} t="inlineStr"><is><t xml:space="preserve">${escaped(String(value))}</t></is></c>`;
}

const LETTERS = 26;
/** Returns the letters of a column: A for 0, AA for 26. */
const columnName = (index: number): string =>
  (index >= LETTERS ? columnName(Math.floor(index / LETTERS) - 1) : '') +
  String.fromCharCode(65 + (index % LETTERS));

/** Writes rows with references. They are optional, but Gnumeric 1.12.55 reads no row without. */
class RowWriter {
  readonly #names: readonly string[];
  #number = 0;

  constructor(columns: number) {
    this.#names = Array.from({ length: columns }, (_, index) => columnName(index));
  }

  row(cells: readonly Cell[], style = ''): string {
    this.#number += 1;
    const number = this.#number;
    const reference = (index: number) => ` r="${this.#names[index] ?? columnName(index)}${number}"`;
    const written = cells.map((cell, index) => cellXml(cell, reference(index) + style));
    return `<row r="${number}">${written.join('')}</row>`;
  }
}

/** Checksum and bytes of a part of an archive. */
interface WrittenPart {
  readonly header: number;
  readonly sum: number;
  readonly packed: number;
  readonly size: number;
}

/**
 * Writes a zip archive part by part. Sizes follow the compressed data, so that a part can be
 * streamed.
 */
class ZipWriter {
  readonly #central: Buffer[] = [];
  #offset = 0;
  readonly #time: number;
  readonly #date: number;

  constructor(moment: Date) {
    this.#time =
      (moment.getHours() << 11) | (moment.getMinutes() << 5) | (moment.getSeconds() >> 1);
    this.#date =
      ((moment.getFullYear() - 1980) << 9) | ((moment.getMonth() + 1) << 5) | moment.getDate();
  }

  #header(name: string): Buffer {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    // Flags: sizes and checksum follow the data; names are UTF-8.
    header.writeUInt16LE(0x0808, 6);
    header.writeUInt16LE(8, 8);
    header.writeUInt16LE(this.#time, 10);
    header.writeUInt16LE(this.#date, 12);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    return Buffer.concat([header, Buffer.from(name)]);
  }

  #finish(name: string, { header, sum, packed, size }: WrittenPart): Buffer {
    const after = Buffer.alloc(16);
    after.writeUInt32LE(0x08074b50, 0);
    after.writeUInt32LE(sum, 4);
    after.writeUInt32LE(packed, 8);
    after.writeUInt32LE(size, 12);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(0x0808, 8);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt16LE(this.#time, 12);
    entry.writeUInt16LE(this.#date, 14);
    entry.writeUInt32LE(sum, 16);
    entry.writeUInt32LE(packed, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(this.#offset, 42);
    this.#central.push(Buffer.concat([entry, Buffer.from(name)]));
    this.#offset += header + packed + after.length;
    return after;
  }

  /** Returns a complete part. */
  part(name: string, text: string): Buffer {
    const data = Buffer.from(text);
    const packed = deflateRawSync(data);
    const header = this.#header(name);
    return Buffer.concat([
      header,
      packed,
      this.#finish(name, {
        header: header.length,
        sum: crc32(data),
        packed: packed.length,
        size: data.length,
      }),
    ]);
  }

  /** Compresses a part while its text is generated. */
  async *stream(name: string, texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
    const header = this.#header(name);
    yield header;
    const deflate = createDeflateRaw();
    let [sum, size, packed] = [0, 0, 0];
    const written = (async () => {
      for await (const text of texts) {
        const data = Buffer.from(text);
        sum = crc32(data, sum);
        size += data.length;
        if (!deflate.write(data)) await new Promise((drained) => deflate.once('drain', drained));
      }
      deflate.end();
    })();
    written.catch((error: Error) => deflate.destroy(error));
    try {
      for await (const chunk of deflate as AsyncIterable<Buffer>) {
        packed += chunk.length;
        yield chunk;
      }
      await written;
    } finally {
      deflate.destroy();
    }
    yield this.#finish(name, { header: header.length, sum, packed, size });
  }

  /** Returns the central directory, which ends the archive. */
  end(): Buffer {
    const list = Buffer.concat(this.#central);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(this.#central.length, 8);
    end.writeUInt16LE(this.#central.length, 10);
    end.writeUInt32LE(list.length, 12);
    end.writeUInt32LE(this.#offset, 16);
    return Buffer.concat([list, end]);
  }
}

/** Splits rows that arrive in batches into sheets. */
class Rows {
  readonly #batches: AsyncIterator<readonly (readonly Cell[])[]>;
  #batch: readonly (readonly Cell[])[] = [];
  isOver = false;

  constructor(batches: AsyncIterable<readonly (readonly Cell[])[]>) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  async *sheet(headers: readonly string[], most: number): AsyncGenerator<string> {
    const writer = new RowWriter(headers.length);
    yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;
    yield `<cols><col min="1" max="${headers.length}" width="${COLUMN_WIDTH}" customWidth="1"/></cols><sheetData>${writer.row(headers, ' s="1"')}`;
    for (let room = most - 1; room > 0 && !this.isOver; ) {
      if (this.#batch.length === 0) {
        const next = await this.#batches.next();
        if (next.done) this.isOver = true;
        else this.#batch = next.value;
        continue;
      }
      const part = this.#batch.slice(0, room);
      this.#batch = this.#batch.slice(part.length);
      room -= part.length;
      yield part.map((row) => writer.row(row)).join('');
    }
    yield '</sheetData></worksheet>';
  }
}

/**
 * Yields the bytes of an Excel workbook (ECMA-376) in constant memory. Rows that exceed a sheet
 * continue on the next.
 */
export async function* xlsxFile(
  headers: readonly string[],
  batches: AsyncIterable<readonly (readonly Cell[])[]>,
  { moment, mostRows = MOST_ROWS }: { readonly moment: Date; readonly mostRows?: number },
): AsyncGenerator<Buffer> {
  const zip = new ZipWriter(moment);
  const rows = new Rows(batches);
  const sheets: number[] = [];
  yield zip.part(
    '_rels/.rels',
    `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  );
  while (!rows.isOver) {
    sheets.push(sheets.length + 1);
    yield* zip.stream(`xl/worksheets/sheet${sheets.length}.xml`, rows.sheet(headers, mostRows));
  }
  const style = sheets.length + 1;
  const each = (write: (sheet: number) => string) => sheets.map(write).join('');
  yield zip.part(
    'xl/styles.xml',
    `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs></styleSheet>`,
  );
  yield zip.part(
    'xl/workbook.xml',
    [
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>`,
      each((sheet) => `<sheet name="${sheet}" sheetId="${sheet}" r:id="rId${sheet}"/>`),
      '</sheets></workbook>',
    ].join(''),
  );
  yield zip.part(
    'xl/_rels/workbook.xml.rels',
    [
      `${XML}<Relationships xmlns="${RELATIONS}">`,
      each(
        (sheet) =>
          `<Relationship Id="rId${sheet}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${sheet}.xml"/>`,
      ),
      `<Relationship Id="rId${style}" Type="${OFFICE}/styles" Target="styles.xml"/>`,
      '</Relationships>',
    ].join(''),
  );
  yield zip.part(
    '[Content_Types].xml',
    [
      `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`,
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
      `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>`,
      `<Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>`,
      each(
        (sheet) =>
          `<Override PartName="/xl/worksheets/sheet${sheet}.xml" ContentType="${CONTENT}.worksheet+xml"/>`,
      ),
      '</Types>',
    ].join(''),
  );
  yield zip.end();
}
