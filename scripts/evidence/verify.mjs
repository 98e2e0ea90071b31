#!/usr/bin/env node
// node verify.mjs FILE --ca=CA.pem: proves a file of `evidence export` without a server, a network
// or packages. Take this folder and the CA file from a place that an attacker cannot write.
import { readFileSync } from 'node:fs';
import { certificatesIn, fromBase64, fromHex, sha256, utf8, verifyToken } from './timestamp.mjs';

/** Returns the files of a tar archive by name. */
function readTar(bytes) {
  const files = new Map();
  const text = (from, length) =>
    new TextDecoder()
      .decode(bytes.subarray(from, from + length))
      .replace(/\0.*$/s, '')
      .trim();
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    if (!(size >= 0) || at + 512 + size > bytes.length) throw new Error('the archive is cut off');
    const name = text(at, 100);
    if (files.has(name)) throw new Error(`the archive has ${name} twice`);
    files.set(name, bytes.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

const linesOf = (bytes) => {
  const text = new TextDecoder().decode(bytes);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

/** Recomputes the chain of one log. Returns its rows and digests by sequence. */
async function verifyLog(files, { log, first, end }, report) {
  const read = (name) => JSON.parse(new TextDecoder().decode(files.get(name)));
  let { sequence, digest } = read(`logs/${log}/chain.json`);
  const rows = new Map();
  const names = [...files.keys()].filter((name) => name.startsWith(`logs/${log}/0`)).sort();
  for (const name of names)
    for (const row of linesOf(files.get(name))) {
      const bytes = [...fromHex(digest), ...utf8.encode(row.text)];
      const expected = await sha256(Uint8Array.from(bytes));
      if (row.sequence !== sequence + 1)
        report('row', `${log}: rows ${sequence + 1} to ${row.sequence - 1} are missing`);
      else if (row.digest !== expected || JSON.parse(row.text).sequence !== row.sequence)
        report('row', `${log}: row ${row.sequence} was changed`);
      ({ sequence, digest } = row);
      rows.set(row.sequence, row);
    }
  if (rows.size > 0 && (sequence !== end || Math.min(...rows.keys()) !== first))
    report('row', `${log}: rows at the beginning or the end are missing`);
  return rows;
}

/** Compares the chains with all statements of the witness. Returns the last proven rows by log. */
async function verifyWitnesses(files, { logs, authorities }, report) {
  const proven = new Map();
  let previous;
  for (const name of [...files.keys()].filter((one) => one.startsWith('witness/')).sort()) {
    const { id, statement, token } = JSON.parse(new TextDecoder().decode(files.get(name)));
    const { heads, previous: named } = JSON.parse(statement);
    if (previous && id === previous.id + 1 && named !== previous.digest)
      report('witness', `witness ${id}: the statement before it was changed`);
    if (previous && id !== previous.id + 1 && logs.size === 1)
      report('witness', `witness ${id}: statements before it are missing`);
    previous = { id, digest: await sha256(statement) };
    if (!token) continue;
    let time;
    try {
      time = await verifyToken(fromBase64(token), statement, authorities);
    } catch (error) {
      report('witness', `witness ${id}: ${error.message}`);
      continue;
    }
    for (const { log, sequence, digest } of heads) {
      const row = logs.get(log)?.get(sequence);
      if (!row) continue;
      const before = proven.get(log)?.sequence ?? Math.min(...logs.get(log).keys()) - 1;
      if (row.digest === digest) proven.set(log, { sequence, time });
      else
        report(
          'witness',
          `${log}: does not match witness ${id} of ${time.toISOString()}; a row from ${before + 1} to ${sequence} was changed after it was signed`,
        );
    }
  }
  return proven;
}

/** Compares sessions, commands and recordings with the rows that hold their digests. */
async function verifySessions(files, { rows, isExported }, report) {
  const digests = new Map();
  for (const { text } of rows?.values() ?? []) {
    const row = JSON.parse(text);
    if (isExported(row)) digests.set(row.session, [...(digests.get(row.session) ?? []), row]);
  }
  for (const [id, entries] of digests) {
    const commandFile = files.get(`sessions/${id}/commands.jsonl`);
    const session = files.get(`sessions/${id}/session.txt`);
    if (!commandFile) report('row', `session ${id}: its row is missing`);
    const commands = commandFile ? linesOf(commandFile) : [];
    let isNamed = false;
    for (const [index, { text, sha256: stored }] of commands.entries())
      if (text !== null && (await sha256(text)) !== stored) {
        isNamed = true;
        report('command', `session ${id}: command ${index + 1} was changed`);
      }
    const facts = session && new TextDecoder().decode(session);
    const digest = facts && (await sha256(facts + commands.map((one) => one.sha256).join('')));
    const isChanged = entries.some((one) => one.version === 3 && one.facts_sha256 !== digest);
    if (commandFile && isChanged && !isNamed)
      report('command', `session ${id}: its row or its commands were changed`);
    if (entries.some((one) => one.recording_sha256 === 'discarded')) continue;
    const { recording_sha256: expected } = entries.findLast((one) => one.recording_sha256) ?? {};
    const recording = files.get(`sessions/${id}/recording`);
    if (expected && !recording) report('recording', `session ${id}: its recording is missing`);
    else if (expected && (await sha256(recording)) !== expected)
      report('recording', `session ${id}: its recording was changed`);
  }
  for (const name of files.keys()) {
    const [, id] = /^sessions\/([^/]+)\//.exec(name) ?? [];
    if (id && !digests.has(id)) report('row', `session ${id}: no log proves it`);
  }
}

/**
 * Proves evidence with the certificates of the witness, in PEM. Returns the problems with their
 * kind (file, row, command, recording, witness), and the last row of each log that a token proves.
 */
export async function verifyEvidence(bytes, pem) {
  const problems = [];
  const report = (kind, text) => void problems.push({ kind, text });
  const files = readTar(bytes);
  const manifest = JSON.parse(new TextDecoder().decode(files.get('manifest.json')));
  if (manifest.format !== 'sallyport evidence 1') throw new Error('the format is unknown');
  for (const { name, sha256: expected } of manifest.files)
    if (!files.has(name)) report('file', `${name} is missing`);
    else if ((await sha256(files.get(name))) !== expected) report('file', `${name} was changed`);
  const logs = new Map();
  for (const part of manifest.parts) logs.set(part.log, await verifyLog(files, part, report));
  const proven = await verifyWitnesses(files, { logs, authorities: certificatesIn(pem) }, report);
  const digests = manifest.parts.find(({ log }) => log === 'session_digest');
  const { session } = manifest.range;
  const isExported = (row) => row.sequence <= digests.last && (!session || row.session === session);
  await verifySessions(files, { rows: logs.get('session_digest'), isExported }, report);
  const unproven = manifest.parts
    .filter(({ log, last }) => (proven.get(log)?.sequence ?? 0) < last)
    .map(({ log, last }) => ({ log, after: proven.get(log)?.sequence ?? 0, last }));
  return { range: manifest.range, problems, proven, unproven };
}

async function main([file, option = '']) {
  if (!file || !option.startsWith('--ca=')) {
    process.stderr.write('Usage: node verify.mjs FILE --ca=CA.pem\n');
    return 1;
  }
  const pem = readFileSync(option.slice('--ca='.length), 'utf8');
  const { problems, proven, unproven } = await verifyEvidence(readFileSync(file), pem);
  const say = (line) => void process.stdout.write(`${line}\n`);
  for (const { kind, text } of problems) say(`CHANGED (${kind}): ${text}`);
  for (const [log, { sequence, time }] of proven)
    say(`${log}: a witness of ${time.toISOString()} proves the rows up to ${sequence}`);
  for (const { log, after, last } of unproven)
    say(`${log}: NO WITNESS for rows ${after + 1} to ${last}`);
  if (problems.length > 0) return 2;
  say(unproven.length > 0 ? 'Unchanged as far as a witness proves it.' : 'Everything is proven.');
  return unproven.length > 0 ? 3 : 0;
}

if (process.argv[1] && import.meta.filename === process.argv[1])
  main(process.argv.slice(2)).then(
    (status) => process.exit(status),
    (error) => {
      process.stderr.write(`The evidence cannot be read: ${error.message}\n`);
      process.exit(1);
    },
  );
