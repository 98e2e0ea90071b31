// Compares rows that an earlier version of Sallyport wrote too early, as the installation declared
// when it was upgraded. Such a row proves a session before its end, or with its first commands.
import { utf8 } from './timestamp.mjs';

/** Places in the facts of a session: the time and reason of its end, and its success. */
const [END, REASON, SUCCESS] = [13, 14, 15];

/** The text of the facts, as PostgreSQL writes it. */
const textOf = (facts) => `[${facts.map((fact) => JSON.stringify(fact)).join(', ')}]`;

/** Returns the facts of a session before its end. Undefined for facts of an unknown form. */
function factsBeforeEnd(text) {
  try {
    const facts = JSON.parse(text);
    if (textOf(facts) !== text || facts.length <= SUCCESS) return undefined;
    return textOf(Object.assign(facts, { [END]: null, [REASON]: null, [SUCCESS]: false }));
  } catch {
    return undefined;
  }
}

async function readDeclaration(archive, name) {
  try {
    const { rows } = JSON.parse(await archive.text(name));
    return rows.length > 0 && rows.every(Number.isSafeInteger) ? new Set(rows) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens the declaration of a session. Returns undefined without one. `rows` are the rows of the
 * session. Call `update` with the digest of each command, then `end`. It returns the other digests,
 * which the session has to match with all of its commands.
 */
export async function openDeclaration({ archive, createHash, format }, { id, rows }, report) {
  const name = `sessions/${id}/declared.json`;
  if (!archive.files.has(name)) return undefined;
  if (format === 'sallyport evidence 1') report.file(`${name} is not of format 1`);
  const declared = await readDeclaration(archive, name);
  if (!declared) report.file(`${name} cannot be read`);
  const facts = `sessions/${id}/session.txt`;
  const text = archive.files.has(facts) ? await archive.text(facts) : '';
  const open = factsBeforeEnd(text);
  const sums = [
    { isEnded: true, sum: createHash().update(utf8(text)) },
    ...(open === undefined ? [] : [{ isEnded: false, sum: createHash().update(utf8(open)) }]),
  ];
  const early = new Map();
  let count = 0;
  const note = ({ isEnded, sum }) => early.set(sum.copy().digest('hex'), { isEnded, count });
  for (const one of sums) note(one);
  const update = (digest) => {
    count += 1;
    for (const one of sums) note({ ...one, sum: one.sum.update(digest) });
  };
  const end = () => {
    if (text !== open) early.delete(sums[0].sum.copy().digest('hex'));
    const ofSession = new Set(rows.map(({ sequence }) => sequence));
    for (const sequence of declared ?? [])
      if (!ofSession.has(sequence))
        report.row(`session ${id}: row ${sequence} is declared, but not a row of this session`);
    const whole = [];
    const earlyRows = [];
    for (const { sequence, version, facts_sha256: digest } of rows) {
      const state = declared?.has(sequence) && version === 3 ? early.get(digest) : undefined;
      if (state) earlyRows.push({ sequence, ...state });
      else if (version === 3) whole.push(digest);
      else if (declared?.has(sequence))
        report.declared(
          `session ${id}: row ${sequence} is declared as written too early, by a version that is not compared`,
        );
    }
    for (const { sequence, isEnded, count: commands } of earlyRows)
      if (isEnded)
        report.declared(
          `session ${id}: row ${sequence} is declared as written too early; it proves the first ${commands} of ${count} commands`,
        );
      else
        report.declared(
          `session ${id}: row ${sequence} is declared as written too early; it proves the session before its end, with the first ${commands} of ${count} commands`,
        );
    if (whole.length > 0 || earlyRows.length === 0) return whole;
    // A later row proves each ended session with all of its commands.
    if (text === open) report.gap(`session ${id}: no row of this file proves its end`);
    else report.command(`session ${id}: its row or its commands were changed`);
    return whole;
  };
  return { update, end };
}
