// Proves evidence of `evidence export`, in Node and in browsers, without packages.
import { failure, openArchive, told } from './archive.mjs';
import { createSm3Chain, Sm3, verifyNational } from './national.mjs';
import { certificatesIn, fromBase64, fromHex, verifyToken } from './timestamp.mjs';

const LOGS = ['operate_log', 'login_log', 'password_change_log', 'ftp_log', 'session_digest'];
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const NAMES = [
  'manifest\\.json|certificates/witness\\.pem|witness/\\d{10}\\.json',
  `logs/(?:${LOGS.join('|')})/(?:chain\\.json|\\d{12}\\.jsonl)`,
  `sessions/${UUID}/(?:session\\.txt|commands\\.jsonl|recording)`,
];
/** A statement is made and signed every hour. */
const HOUR = 3_600_000;
const LATE = 2 * HOUR;
const MAX_FINDINGS = 500;
const iso = (time) => new Date(time).toISOString();

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** @throws Error */
async function readManifest(archive) {
  if (!archive.files.has('manifest.json')) throw failure`manifest.json is missing`;
  const { format, files, parts, range, sm2 } = JSON.parse(await archive.text('manifest.json'));
  if (format !== 'sallyport evidence 1') throw failure`the format is unknown`;
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
  const isSound =
    (range.session ? parts.every(({ log }) => log === 'session_digest') : from < to) &&
    parts.every(
      ({ log, first, last, end }) =>
        LOGS.includes(log) &&
        [1, first, last, end].every((one, at, all) => one <= (all[at + 1] ?? one)),
    ) &&
    new Set(parts.map(({ log }) => log)).size === parts.length &&
    new Set(files.map(({ name }) => name)).size === files.length;
  if (!isSound) throw failure`manifest.json contradicts itself`;
  const rangeText = JSON.stringify(range);
  return { files, parts, sm2, rangeText, range: { session: range.session, from, to } };
}

/** Compares all files with the manifest. Returns their digests by name. */
async function verifyFiles({ archive, files, parts, sm2, rangeText, ...how }, report) {
  const { createHash, onProgress } = how;
  const [digests, national] = [new Map(), new Map()];
  const known = new Map(files.map((file) => [file.name, file.sha256]));
  for (const name of known.keys()) if (!archive.files.has(name)) report.file`${name} is missing`;
  for (const [name, { at, size }] of archive.files) {
    const [sum, sm3] = [createHash(), sm2 && new Sm3()];
    let done = at;
    for await (const piece of archive.pieces(name)) {
      sum.update(piece);
      sm3?.update(piece);
      done += piece.length;
      onProgress?.(done);
    }
    digests.set(name, sum.digest('hex'));
    if (sm3) national.set(name, sm3.digest());
    const [, log] = /^logs\/([^/]+)\//.exec(name) ?? [];
    if (name === 'manifest.json') continue;
    if (!known.has(name) || (log && !parts.some((part) => part.log === log)))
      report.file`the manifest does not name ${name}`;
    else if (known.get(name) !== digests.get(name)) report.file`${name} was changed`;
    else if (size === 0 && !name.startsWith('sessions/')) report.file`${name} is empty`;
  }
  verifyNational({ sm2, digests: national, files, rangeText }, report);
  return digests;
}

/** Verifies all statements of the witness. Returns the signed heads, by log. */
async function verifyWitnesses({ archive, parts, range, sha256, authorities }, report) {
  const heads = new Map(LOGS.map((log) => [log, []]));
  const dates = [];
  let previous;
  for (const name of [...archive.files.keys()].filter((one) => one.startsWith('witness/')).sort()) {
    const { id, statement, token } = JSON.parse(await archive.text(name));
    const content = JSON.parse(statement);
    if (content.format !== 'sallyport audit heads 1' || id !== Number(name.slice(8, 18)))
      report.witness`witness ${id}: its format is unknown`;
    const isNext = parts.length === 1 || id === previous?.id + 1;
    if (previous && isNext && content.previous !== previous.digest)
      report.witness`witness ${id}: the statement before it was changed or is missing`;
    previous = { id, digest: sha256(statement) };
    if (!token) continue;
    try {
      const time = await verifyToken(fromBase64(token), statement, authorities);
      const date = Date.parse(content.date);
      for (const head of content.heads) heads.get(head.log)?.push({ ...head, id, time, date });
      dates.push(date);
    } catch (error) {
      const problem = error.name === 'Error' ? error.message : 'it cannot be read';
      report.witness`witness ${id}: ${problem}`;
    }
  }
  if (!dates.some((date) => date <= range.from)) dates.push(range.from);
  if (!dates.some((date) => date >= range.to)) dates.push(range.to);
  for (const [index, date] of dates.sort((one, other) => one - other).entries()) {
    const before = dates[index - 1];
    if (date > range.from && before < range.to && date - before > LATE)
      report.gap`NO WITNESS from ${iso(before)} to ${iso(date)}: rows of this time may be missing`;
  }
  for (const list of heads.values()) list.sort((one, other) => one.sequence - other.sequence);
  return heads;
}

/** Compares rows of a log with the signed heads, in order. */
function createComparison({ log, first }, signed, report) {
  let [next, proven, oldest] = [0, first - 1, Number.POSITIVE_INFINITY];
  let [witness, late] = [];
  return {
    compare({ sequence, digest }, written = Number.POSITIVE_INFINITY) {
      oldest = Math.min(oldest, written);
      while (signed[next]?.sequence < sequence) next++;
      for (; signed[next]?.sequence === sequence; next++) {
        const { id, time, digest: expected } = signed[next];
        if (digest !== expected) {
          report.witness`${log}: does not match witness ${id} of ${iso(time)}; a row from ${proven + 1} to ${sequence} was changed after it was signed`;
          continue;
        }
        const wait = time - oldest;
        if (wait > LATE)
          late = {
            from: late?.from ?? proven + 1,
            to: sequence,
            hours: Math.max(Math.ceil(wait / HOUR), late?.hours ?? 0),
          };
        [proven, oldest] = [sequence, Number.POSITIVE_INFINITY];
        witness = time;
      }
    },
    end(last) {
      if (proven >= first)
        report.proof`${log}: a witness of ${iso(witness)} proves the rows up to ${proven}`;
      if (proven < last) report.gap`${log}: NO WITNESS for rows ${proven + 1} to ${last}`;
      if (late)
        report.gap`${log}: rows ${late.from} to ${late.to} were signed up to ${late.hours} hours after they were written`;
    },
  };
}

/** Recomputes the chain of a log, and compares it with the witness. Calls `onRow` for each row. */
async function verifyLog({ archive, sha256, heads, range, onRow }, part, report) {
  const { log, first, end } = part;
  const signed = heads.get(log);
  const comparison = createComparison(part, signed, report);
  const chain = `logs/${log}/chain.json`;
  const start = archive.files.has(chain) ? parsed(await archive.text(chain)) : {};
  const { sequence, digest } = start;
  const national = createSm3Chain({ log, heads: signed, before: start.sm3 }, report);
  if (sequence !== first - 1) report.row`${log}: the beginning of its chain is missing`;
  let before = { sequence: first - 1, digest: String(digest) };
  comparison.compare(before);
  // The manifest is not signed: the rows say which of them are of the session or the period.
  let last = 0;
  const isRows = (name) => name.startsWith(`logs/${log}/`) && name !== chain;
  for (const name of [...archive.files.keys()].filter(isRows).sort())
    for await (const line of archive.lines(name)) {
      const row = parsed(line);
      const content = parsed(row.text);
      const written = Date.parse(content.datetime);
      const expected = sha256(fromHex(before.digest), String(row.text));
      if (row.sequence > before.sequence + 1)
        report.row`${log}: rows ${before.sequence + 1} to ${row.sequence - 1} are missing`;
      else if (
        row.sequence !== before.sequence + 1 ||
        row.sequence !== content.sequence ||
        row.digest !== expected ||
        Number.isNaN(written)
      )
        report.row`${log}: row ${before.sequence + 1} was changed`;
      const isOfRange = range.session
        ? content.session === range.session
        : range.from <= written && written < range.to;
      if (isOfRange) last = row.sequence;
      onRow(log, content, isOfRange);
      comparison.compare(row, written);
      national.add(row);
      before = { sequence: row.sequence, digest: String(row.digest) };
    }
  if (before.sequence !== end)
    report.row`${log}: rows ${before.sequence + 1} to ${end} are missing`;
  if (last === 0) report.row`${log}: no row is of the session or the period`;
  comparison.end(last);
  national.end();
  if (range.session) return;
  if (first > 1 && !signed.some((head) => head.sequence === first - 1 && head.date <= range.from))
    report.gap`${log}: rows of the period before row ${first} may be missing`;
  if (!signed.some((head) => head.sequence === end && head.date >= range.to))
    report.gap`${log}: rows of the period after row ${end} may be missing`;
}

/** Compares the commands of a session with their digests, and all together with `expected`. */
async function verifyCommands({ archive, sha256, createHash }, id, { expected, report }) {
  const [name, facts] = [`sessions/${id}/commands.jsonl`, `sessions/${id}/session.txt`];
  const sum = createHash();
  if (archive.files.has(facts)) for await (const piece of archive.pieces(facts)) sum.update(piece);
  let [count, stored, isNamed] = [0, 0, false];
  for await (const line of archive.lines(name)) {
    const command = parsed(line);
    count += 1;
    sum.update(new TextEncoder().encode(command.sha256));
    if (command.text === null) stored += 1;
    else if (sha256(String(command.text)) !== command.sha256) {
      isNamed = true;
      report.command`session ${id}: command ${count} was changed`;
    }
  }
  const actual = sum.digest('hex');
  if (expected.length === 0)
    report.gap`session ${id}: its digest is of an older version, which is not compared`;
  else if (!isNamed && expected.some((one) => one !== actual))
    report.command`session ${id}: its row or its commands were changed`;
  if (stored > 0)
    report.gap`session ${id}: the texts of ${stored} commands are in a storage, not in this file`;
}

/** Compares sessions, commands and recordings with the rows that hold their digests. */
async function verifySessions(evidence, sessions, report) {
  const { archive, digests, range } = evidence;
  for (const [id, { entries, isOfRange }] of sessions) {
    const isThere = archive.files.has(`sessions/${id}/commands.jsonl`);
    if (!isThere && isOfRange) report.row`session ${id}: its row is missing`;
    if (!isThere) continue;
    const expected = entries.filter((one) => one.version === 3).map((one) => one.facts);
    await verifyCommands(evidence, id, { expected, report });
    const recording = digests.get(`sessions/${id}/recording`);
    const { recording: kept } = entries.findLast((one) => one.recording) ?? {};
    const isDiscarded = entries.some((one) => one.recording === 'discarded');
    if (isDiscarded && !recording)
      report.proof`session ${id}: an administrator chose not to keep its recording`;
    else if (kept && !recording) report.recording`session ${id}: its recording is missing`;
    else if (kept && !isDiscarded && recording !== kept)
      report.recording`session ${id}: its recording was changed`;
    else if (recording && (isDiscarded || !kept))
      report.gap`session ${id}: no row of this file proves its recording`;
  }
  const ids = [...archive.files.keys()].map((name) => /^sessions\/([^/]+)\//.exec(name)?.[1]);
  for (const id of new Set(ids))
    if (id && !sessions.has(id)) report.row`session ${id}: no log proves it`;
  if (range.session && !sessions.get(range.session)?.isOfRange)
    report.row`session ${range.session}: this file does not contain it`;
}

/**
 * Proves evidence with the certificates of the witness, in PEM. `source` has `size`,
 * `read(from, to)` and `createHash()` for SHA-256. Returns a verdict (proven, partly, changed) and
 * its findings. Their kind is about, proof, gap, or that of a problem: file, row, command,
 * recording, witness. @throws Error if the file is no evidence
 */
export async function verifyEvidence(source, pem, onProgress) {
  const findings = [];
  const kinds = ['file', 'row', 'command', 'recording', 'witness', 'gap', 'proof', 'about'];
  const counts = new Map(kinds.map((kind) => [kind, 0]));
  const report = {};
  for (const kind of kinds)
    report[kind] = (...template) => {
      counts.set(kind, counts.get(kind) + 1);
      if (findings.length < MAX_FINDINGS) findings.push({ kind, ...told(...template) });
    };
  const authorities = certificatesIn(pem);
  if (authorities.length === 0) throw failure`the CA file has no certificate`;
  const archive = await openArchive(source, new RegExp(`^(?:${NAMES.join('|')})$`));
  const { createHash } = source;
  const sha256 = (...parts) => {
    const sum = createHash();
    for (const part of parts)
      sum.update(typeof part === 'string' ? new TextEncoder().encode(part) : part);
    return sum.digest('hex');
  };
  const sessions = new Map();
  const onRow = (log, row, isOfRange) => {
    if (log !== 'session_digest') return;
    const known = sessions.get(row.session) ?? { entries: [], isOfRange: false };
    const { version, facts_sha256: facts, recording_sha256: recording } = row;
    known.entries.push({ version, facts, recording });
    sessions.set(row.session, { ...known, isOfRange: known.isOfRange || isOfRange });
  };
  const manifest = await readManifest(archive);
  const { session, from, to } = manifest.range;
  if (session) report.about`Session ${session}`;
  else report.about`Period from ${iso(from)} to ${iso(to)}`;
  const evidence = { ...manifest, archive, createHash, sha256, authorities, onRow, onProgress };
  const digests = await verifyFiles(evidence, report);
  const heads = await verifyWitnesses(evidence, report);
  if (manifest.parts.length === 0) report.file`the manifest names no log`;
  for (const part of manifest.parts) await verifyLog({ ...evidence, heads }, part, report);
  await verifySessions({ ...evidence, digests }, sessions, report);
  const isChanged = kinds.slice(0, 5).some((kind) => counts.get(kind) > 0);
  const verdict = isChanged ? 'changed' : counts.get('gap') > 0 ? 'partly' : 'proven';
  return { verdict, findings };
}
