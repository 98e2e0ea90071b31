const HEAD = '#< CLIXML';
const BEGIN = '<Objs';
const END = '</Objs>';
const ERROR = '<S S="Error">';

/**
 * Extracts readable text from PowerShell's standard error. PowerShell may write serialized objects
 * there (CLIXML): keeps error records, and drops progress and other records. Runs in linear time.
 */
export function readableErrors(text: string): string {
  if (!text.includes(HEAD)) return text;
  let readable = '';
  let at = 0;
  for (let begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, at)) {
    readable += text.slice(at, begin);
    const end = text.indexOf(END, begin);
    readable += errorsIn(text.slice(begin, end < 0 ? undefined : end));
    at = end < 0 ? text.length : end + END.length;
  }
  return (readable + text.slice(at)).replaceAll(/#< CLIXML\r?\n?/g, '');
}

function errorsIn(objects: string): string {
  let errors = '';
  for (let begin = objects.indexOf(ERROR); begin >= 0; begin = objects.indexOf(ERROR, begin)) {
    begin += ERROR.length;
    const end = objects.indexOf('</S>', begin);
    errors += unescaped(objects.slice(begin, end < 0 ? undefined : end));
    if (end < 0) break;
  }
  return errors;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

function unescaped(text: string): string {
  return text
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}
