import { ALERT_KINDS } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { type Alert, sentenceOf } from './sentence.ts';

const alert = (changes: Partial<Alert>): Alert =>
  ({
    kind: 'new_network',
    user: 'Ann Cole(ann)',
    username: 'ann',
    subject: '203.0.113.0/24',
    remote_addr: '203.0.113.7',
    amount: 24,
    ...changes,
  }) as Alert;

it.each(ALERT_KINDS.map(({ value }) => value))('says what happened in one sentence: %s', (kind) => {
  const sentence = sentenceOf(alert({ kind }));
  expect(sentence).not.toMatch(/[{}]|undefined|null/);
  expect(sentence.length).toBeGreaterThan(5);
});

it('names the user once, without the username', () => {
  expect(sentenceOf(alert({}))).toContain('Ann Cole');
  expect(sentenceOf(alert({}))).not.toContain('(ann)');
});

it('names an address without a user once', () => {
  const [subject, user] = ['203.0.113.77', '203.0.113.77(203.0.113.77)'];
  for (const name of [user, subject, '']) {
    const sentence = sentenceOf(
      alert({ kind: 'many_denials', user: name, username: '', subject, remote_addr: subject }),
    );
    expect(sentence.match(/203\.0\.113\.77/g)).toHaveLength(1);
    expect(sentence).toContain('24');
  }
});
