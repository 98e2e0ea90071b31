// Proves evidence of `evidence export`, in Node and in browsers, without packages.
import { openArchive } from './archive.mjs';
import { certificatesIn, fromBase64, fromHex, utf8, verifyToken } from './timestamp.mjs';

const LOGS = ['operate_log', 'login_log', 'password_change_log', 'ftp_log', 'session_digest'];
/** Only the second has declarations of rows that were written too early. */
const FORMATS = ['sallyport evidence 1', 'sallyport evidence 2'];
const NAMES = [
  'manifest\\.json|certificates/witness\\.pem|witness/\\d{10}\\.json',
  `logs/(?:${LOGS.join('|')})/(?:chain\\.json|\\d{12}\\.jsonl)`,
  'sessions/[0-9a-f-]{36}/(?:session\\.txt|commands\\.jsonl|declared\\.json|recording)',
];
/** A statement is made and signed every hour. */
const HOUR = 3_600_000;
const LATE = 2 * HOUR;
const KINDS = 'file row command recording witness gap declared proof about'.split(' ');
const MAX_FINDINGS = 500;
const iso = (time) => new Date(time).toISOString();

function parsed(json) {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}

const isPart = ({ log, first, last, end }) =>
  LOGS.includes(log) && 1 <= first && first <= last && last <= end;

/** @throws Error */
async function readManifest(archive, declared) {
  if (!archive.files.has('manifest.json')) throw new Error('manifest.json is missing');
  const { format, files, parts, range, sm2 } = JSON.parse(await archive.text('manifest.json'));
  if (!FORMATS.slice(0, declared ? 2 : 1).includes(format))
    throw new Error('the format is unknown, or declared.mjs is missing');
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
  const isSound =
    (range.session ? parts.every(({ log }) => log === 'session_digest') : from < to) &&
    parts.every(isPart) &&
    new Set(parts.map(({ log }) => log)).size === parts.length &&
    new Set(files.map(({ name }) => name)).size === files.length;
  if (!isSound) throw new Error('manifest.json contradicts itself');
  return { format, files, parts, sm2, range, from, to };
}

/** Compares all files with the manifest. Returns their digests by name. */
async function verifyFiles({ archive, files, parts, createHash, seal }, report) {
  const digests = new Map();
  const known = new Map(files.map((file) => [file.name, file.sha256]));
  for (const name of known.keys()) if (!archive.files.has(name)) report.file(`${name} is missing`);
  for (const [name, { size }] of archive.files) {
    const [sum, part] = [createHash(), seal?.file(name)];
    for await (const piece of archive.pieces(name)) {
      sum.update(piece);
      part?.update(piece);
    }
    digests.set(name, sum.digest('hex'));
    const [, log] = /^logs\/([^/]+)\//.exec(name) ?? [];
    if (name === 'manifest.json') continue;
    if (!known.has(name) || (log && !parts.some((one) => one.log === log)))
      report.file(`the manifest does not name ${name}`);
    else if (known.get(name) !== digests.get(name)) report.file(`${name} was changed`);
    else if (size === 0 && !name.startsWith('sessions/')) report.file(`${name} is empty`);
  }
  seal?.end();
  return digests;
}

/** Verifies all statements of the witness. Returns the signed heads, by log and sequence. */
async function verifyWitnesses(evidence, report) {
  const { archive, parts, from, to, sha256, authorities } = evidence;
  const [heads, dates] = [new Map(), []];
  let previous;
  for (const name of [...archive.files.keys()].filter((one) => one.startsWith('witness/')).sort()) {
    const { id, statement, token } = JSON.parse(await archive.text(name));
    const content = JSON.parse(statement);
    if (content.format !== 'sallyport audit heads 1' || id !== Number(name.slice(8, 18)))
      report.witness(`witness ${id}: its format is unknown`);
    const isNext = parts.length === 1 || id === previous?.id + 1;
    if (previous && isNext && content.previous !== previous.digest)
      report.witness(`witness ${id}: the statement before it was changed or is missing`);
    previous = { id, digest: sha256(utf8(statement)) };
    if (!token || !authorities) continue;
    try {
      const time = await verifyToken(fromBase64(token), statement, authorities);
      const date = Date.parse(content.date);
      for (const head of content.heads) {
        const name = `${head.log} ${head.sequence}`;
        heads.set(name, [...(heads.get(name) ?? []), { ...head, id, time, date }]);
      }
      dates.push(date);
    } catch (error) {
      const isOurs = error.name === 'Error';
      report.witness(`witness ${id}: ${isOurs ? error.message : 'it cannot be read'}`);
    }
  }
  if (!dates.some((date) => date <= from)) dates.push(from);
  if (!dates.some((date) => date >= to)) dates.push(to);
  dates.sort((one, other) => one - other);
  for (const [index, date] of authorities ? dates.entries() : []) {
    const last = dates[index - 1];
    if (date > from && last < to && date - last > LATE)
      report.gap(`NO WITNESS from ${iso(last)} to ${iso(date)}: rows of this time may be missing`);
  }
  return heads;
}

/** Compares rows of a log with its signed heads, in order. */
function createComparison({ log, first }, signedAt, report) {
  let [proven, oldest, late, witness] = [first - 1, Number.POSITIVE_INFINITY, { hours: 0 }];
  const add = ({ sequence, digest }, written) => {
    oldest = Math.min(oldest, written);
    for (const { id, time, digest: expected } of signedAt(sequence))
      if (digest === expected) {
        const hours = Math.max(Math.ceil((time - oldest) / HOUR), late.hours);
        if (time - oldest > LATE) late = { from: late.from ?? proven + 1, to: sequence, hours };
        [proven, oldest, witness] = [sequence, Number.POSITIVE_INFINITY, iso(time)];
      } else
        report.witness(
          `${log}: does not match witness ${id} of ${iso(time)}; a row from ${proven + 1} to ${sequence} was changed after it was signed`,
        );
  };
  const end = (last) => {
    if (witness && proven >= first)
      report.proof(`${log}: a witness of ${witness} proves the rows up to ${proven}`);
    if (proven < last) report.gap(`${log}: NO WITNESS for rows ${proven + 1} to ${last}`);
    if (late.hours > 0)
      report.gap(
        `${log}: rows ${late.from} to ${late.to} were signed up to ${late.hours} hours after they were written`,
      );
  };
  return { add, end };
}

/** Recomputes the chain of a log and compares it with the witness. Collects rows of sessions. */
async function verifyLog(evidence, { log, first, end }, report) {
  const { archive, sha256, heads, sessions, range, from, to, national } = evidence;
  const signedAt = (sequence) => heads.get(`${log} ${sequence}`) ?? [];
  const comparison = createComparison({ log, first }, signedAt, report);
  const chain = `logs/${log}/chain.json`;
  const start = archive.files.has(chain) ? parsed(await archive.text(chain)) : {};
  const sm3 = national?.createSm3Chain({ log, heads, before: start.sm3 }, report);
  if (start.sequence !== first - 1) report.row(`${log}: the beginning of its chain is missing`);
  let before = { sequence: first - 1, digest: String(start.digest) };
  comparison.add(before, Number.POSITIVE_INFINITY);
  // The manifest is not signed: the rows say which of them are of the session or the period.
  let [last, isSm3Missing] = [0, false];
  const isRows = (name) => name.startsWith(`logs/${log}/`) && name !== chain;
  for (const name of [...archive.files.keys()].filter(isRows).sort())
    for await (const line of archive.lines(name)) {
      const row = parsed(line);
      const content = parsed(row.text);
      const written = Date.parse(content.datetime);
      const next = before.sequence + 1;
      const isSound =
        row.sequence === next &&
        row.sequence === content.sequence &&
        row.digest === sha256(fromHex(before.digest), utf8(String(row.text))) &&
        !Number.isNaN(written);
      if (row.sequence > next)
        report.row(`${log}: rows ${next} to ${row.sequence - 1} are missing`);
      else if (!isSound) report.row(`${log}: row ${next} was changed`);
      const isOfPeriod = from <= written && written < to;
      const isOfRange = range.session ? content.session === range.session : isOfPeriod;
      if (isOfRange) last = row.sequence;
      if (log === 'session_digest') {
        const { rows = [], ...known } = sessions.get(content.session) ?? {};
        rows.push(content);
        sessions.set(content.session, { rows, isOfRange: known.isOfRange || isOfRange });
      }
      comparison.add(row, written);
      sm3?.add(row);
      isSm3Missing ||= row.sm3 && !sm3;
      before = { sequence: row.sequence, digest: String(row.digest) };
    }
  if (before.sequence !== end)
    report.row(`${log}: rows ${before.sequence + 1} to ${end} are missing`);
  if (last === 0) report.row(`${log}: no row is of the session or the period`);
  if (evidence.authorities) comparison.end(last);
  sm3?.end();
  if (isSm3Missing) report.gap(`${log}: SM3 was not compared: national.mjs is missing`);
  if (range.session || !evidence.authorities) return;
  if (first > 1 && !signedAt(first - 1).some((head) => head.date <= from))
    report.gap(`${log}: rows of the period before row ${first} may be missing`);
  if (!signedAt(end).some((head) => head.date >= to))
    report.gap(`${log}: rows of the period after row ${end} may be missing`);
}

/** Compares the commands of a session with their digests, and all together with its rows. */
async function verifyCommands(evidence, { id, rows }, report) {
  const { archive, sha256, createHash, declared } = evidence;
  const early = await declared?.openDeclaration(evidence, { id, rows }, report);
  const sum = createHash();
  for await (const piece of archive.pieces(`sessions/${id}/session.txt`)) sum.update(piece);
  let [count, stored, isNamed] = [0, 0, false];
  for await (const line of archive.lines(`sessions/${id}/commands.jsonl`)) {
    const command = parsed(line);
    count += 1;
    for (const one of [sum, early]) one?.update(utf8(command.sha256));
    if (command.text === null) stored += 1;
    else if (sha256(utf8(String(command.text))) !== command.sha256) {
      isNamed = true;
      report.command(`session ${id}: command ${count} was changed`);
    }
  }
  const actual = sum.digest('hex');
  const expected = rows.filter((row) => row.version === 3).map((row) => row.facts_sha256);
  const whole = early?.end() ?? expected;
  if (expected.length === 0)
    report.gap(`session ${id}: its digest is of an older version, which is not compared`);
  else if (!isNamed && whole.some((one) => one !== actual))
    report.command(`session ${id}: its row or its commands were changed`);
  if (stored > 0)
    report.gap(`session ${id}: the texts of ${stored} commands are in a storage, not in this file`);
}

/** Compares sessions, commands and recordings with the rows that hold their digests. */
async function verifySessions({ archive, digests, range, sessions, ...evidence }, report) {
  for (const [id, { rows, isOfRange }] of sessions) {
    const isThere = archive.files.has(`sessions/${id}/commands.jsonl`);
    if (!isThere && isOfRange) report.row(`session ${id}: its row is missing`);
    if (!isThere) continue;
    await verifyCommands({ archive, ...evidence }, { id, rows }, report);
    const recording = digests.get(`sessions/${id}/recording`);
    const kept = rows.findLast((row) => row.recording_sha256)?.recording_sha256;
    const isDiscarded = rows.some((row) => row.recording_sha256 === 'discarded');
    if (isDiscarded && !recording)
      report.proof(`session ${id}: an administrator chose not to keep its recording`);
    else if (kept && !recording) report.recording(`session ${id}: its recording is missing`);
    else if (kept && !isDiscarded && recording !== kept)
      report.recording(`session ${id}: its recording was changed`);
    else if (recording && (isDiscarded || !kept))
      report.gap(`session ${id}: no row of this file proves its recording`);
  }
  const ids = [...archive.files.keys()].map((name) => /^sessions\/([^/]+)\//.exec(name)?.[1]);
  for (const id of new Set(ids))
    if (id && !sessions.has(id)) report.row(`session ${id}: no log proves it`);
  if (range.session && !sessions.get(range.session)?.isOfRange)
    report.row(`session ${range.session}: this file does not contain it`);
}

/**
 * Proves evidence with the certificates of the witness, in PEM; undefined proves only that the
 * content is consistent. `source` has `size`,
 * `read(from, to)`, `createHash()` for SHA-256, `national`, the module for SM3 and SM2 or
 * undefined, and likewise `declared`. Returns a verdict (proven, partly, changed) and findings.
 * Their kind is about, proof, gap, declared, or that of a problem: file, row, command, recording,
 * witness.
 * @throws Error if the file is no evidence
 */
export async function verifyEvidence(source, pem) {
  const [findings, seen] = [[], new Set()];
  const add = (kind, sentence) => {
    seen.add(kind);
    if (findings.length < MAX_FINDINGS) findings.push({ kind, sentence });
  };
  const report = Object.fromEntries(KINDS.map((kind) => [kind, add.bind(undefined, kind)]));
  const authorities = pem === undefined ? undefined : certificatesIn(pem);
  if (authorities?.length === 0) throw new Error('the CA file has no certificate');
  const archive = await openArchive(source, new RegExp(`^(?:${NAMES.join('|')})$`));
  const sha256 = (...parts) =>
    parts.reduce((sum, part) => sum.update(part), source.createHash()).digest('hex');
  const manifest = await readManifest(archive, source.declared);
  const { range, from, to, sm2 } = manifest;
  if (range.session) report.about(`Session ${range.session}`);
  else report.about(`Period from ${iso(from)} to ${iso(to)}`);
  const seal = sm2 && source.national?.createSeal(manifest, report);
  if (sm2 && !seal) report.gap('SM2 was not verified: national.mjs is missing');
  const evidence = { ...manifest, ...source, archive, sha256, authorities, sessions: new Map() };
  const digests = await verifyFiles({ ...evidence, seal }, report);
  const heads = await verifyWitnesses(evidence, report);
  if (manifest.parts.length === 0) report.file('the manifest names no log');
  for (const part of manifest.parts) await verifyLog({ ...evidence, heads }, part, report);
  await verifySessions({ ...evidence, digests }, report);
  const isChanged = KINDS.slice(0, 5).some((kind) => seen.has(kind));
  if (!authorities) report.gap('without --ca=CA.pem no signature of the witness was verified');
  if (!authorities && !isChanged) report.proof('rows, files and recordings match their digests');
  const isPartly = seen.has('gap') || seen.has('declared');
  return { findings, verdict: isChanged ? 'changed' : isPartly ? 'partly' : 'proven' };
}
