import fc from 'fast-check';

const path = fc.oneof(
  fc.constantFrom(
    '/',
    '/chance',
    '/chance/a',
    '/chance/../way-out/secret',
    '/way-out/secret',
    '/way-out/new',
    '//',
    '/./chance',
    '/..',
    '',
    'a',
    '"/x"',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }).map((name) => `/chance/${name}`),
  fc.string({ maxLength: 30 }),
);
const value = fc.oneof(
  path,
  fc.integer(),
  fc.constant(null),
  fc.array(path, { maxLength: 2 }),
  fc.boolean(),
  fc.constantFrom('1e309', '-1', '99999999999999999999'),
);
const query = fc.dictionary(
  fc.constantFrom('path', 'size', 'offset', 'overwrite', 'name', 'version', 'charset', 'to'),
  value,
  { maxKeys: 4 },
);
const action = fc.constantFrom(
  'rename',
  'move',
  'copy',
  'make_folder',
  'chmod',
  'delete',
  'other',
  1,
);
const item = fc.dictionary(fc.constantFrom('path', 'to', 'mode', 'overwrite', 'more'), value, {
  maxKeys: 4,
});
const body = fc.oneof(
  fc.record({ action, items: fc.array(item, { maxLength: 3 }) }),
  fc.dictionary(fc.constantFrom('text', 'charset', 'version'), value),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Generates requests to the routes of the web file manager, most of them malformed. */
export const randomFileRequest = fc.record({
  method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE'),
  route: fc.constantFrom(
    'entries/',
    'entry/',
    'content/',
    'text/',
    'zip/',
    'changes/',
    'uploads/upload-0020/',
    'uploads/%00/',
  ),
  query,
  body,
});
