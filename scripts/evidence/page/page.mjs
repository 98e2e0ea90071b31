import * as declared from '../declared.mjs';
import { verifyEvidence } from '../evidence.mjs';
import * as national from '../national.mjs';
import { Sha256 } from './sha256.mjs';
import { translate } from './translate.mjs';
import { words } from './words.mjs';

const byId = (id) => document.getElementById(id);

let language = navigator.language.startsWith('zh') ? 'zh' : 'en';
let [evidence, authority] = [];
let outcome;
/** The current run; files chosen later end it. */
let run = 0;

const say = (name, ...values) =>
  words[language][name].replace(/\{(\d)\}/g, (_, digit) => values[digit - 1]);

/** Returns a sentence of the verifier in the chosen language, without invisible characters. */
function translated(sentence) {
  // The page has no option --ca.
  if (sentence.startsWith('without --ca=')) return say('noAuthority');
  return (language === 'zh' ? translate(sentence) : sentence).replace(/\p{C}/gu, '?');
}

function element(name, text, className = '') {
  const node = document.createElement(name);
  node.textContent = text;
  node.className = className;
  return node;
}

const GROUPS = [
  ['problems', 'changed', (kind) => !['about', 'gap', 'declared', 'proof'].includes(kind)],
  ['gaps', 'partly', (kind) => kind === 'gap'],
  ['declarations', 'partly', (kind) => kind === 'declared'],
  ['proofs', 'proven', (kind) => kind === 'proof'],
];

function show() {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.title = say('title');
  for (const one of document.querySelectorAll('[data-words]'))
    one.textContent = say(one.dataset.words);
  for (const button of document.querySelectorAll('[data-language]'))
    button.setAttribute('aria-pressed', String(button.dataset.language === language));
  byId('progress').setAttribute('aria-label', say('running'));
  byId('next').textContent = evidence
    ? authority
      ? ''
      : say('chooseAuthority')
    : say('chooseEvidence');
  byId('result').replaceChildren();
  byId('findings').replaceChildren();
  if (outcome === undefined) return;
  const { verdict, findings = [], error } = outcome;
  const sentence =
    verdict === 'unreadable'
      ? say('unreadable', error.name === 'Error' ? translated(error.message) : say('damaged'))
      : say(verdict === 'partly' && !outcome.authority ? 'unsigned' : verdict);
  const names = outcome.authority
    ? say('of', outcome.evidence, outcome.authority)
    : outcome.evidence;
  byId('result').append(
    element('strong', sentence, verdict === 'unreadable' ? 'changed' : verdict),
    element('p', names, 'hint'),
  );
  for (const one of findings)
    if (one.kind === 'about') byId('result').append(element('p', translated(one.sentence)));
  for (const [name, className, isOfGroup] of GROUPS) {
    const list = document.createElement('ul');
    for (const one of findings)
      if (isOfGroup(one.kind)) list.append(element('li', translated(one.sentence)));
    if (list.children.length > 0)
      byId('findings').append(element('h2', say(name), className), list);
  }
}

/** Verifies the chosen files. Each slice ends a task of the page, which stays usable. */
async function verify() {
  run += 1;
  const own = run;
  outcome = undefined;
  show();
  byId('progress').hidden = true;
  if (!evidence) return;
  const names = { evidence: evidence.name, authority: authority?.name };
  const progress = byId('progress');
  progress.hidden = false;
  progress.value = 0;
  const file = evidence;
  const source = {
    size: file.size,
    async read(from, to) {
      if (own !== run) throw new Error('another file was chosen');
      progress.value = to / Math.max(1, file.size);
      return new Uint8Array(await file.slice(from, to).arrayBuffer());
    },
    createHash: () => new Sha256(),
    national,
    declared,
  };
  let result;
  try {
    result = await verifyEvidence(source, await authority?.text());
  } catch (error) {
    result = { verdict: 'unreadable', error };
  }
  if (own !== run) return;
  progress.hidden = true;
  outcome = { ...result, ...names };
  show();
}

/** Takes files that were dropped; the field shows a dropped file, too. */
function take(files) {
  for (const file of files) {
    const isCertificate = /\.(pem|crt|cer)$/i.test(file.name);
    const transfer = new DataTransfer();
    transfer.items.add(file);
    byId(isCertificate ? 'authority' : 'evidence').files = transfer.files;
    if (isCertificate) authority = file;
    else evidence = file;
  }
  void verify();
}

byId('evidence').addEventListener('change', ({ target }) => {
  evidence = target.files[0];
  void verify();
});
byId('authority').addEventListener('change', ({ target }) => {
  authority = target.files[0];
  void verify();
});
for (const button of document.querySelectorAll('[data-language]'))
  button.addEventListener('click', () => {
    language = button.dataset.language;
    show();
  });
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
document.addEventListener('dragleave', () => document.body.classList.remove('dropping'));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  if (event.dataTransfer.files.length > 0) take(event.dataTransfer.files);
});
show();
