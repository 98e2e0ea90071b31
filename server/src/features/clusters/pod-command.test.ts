import { expect, it } from 'vitest';
import { parseKubeRequest, UnclearRequest } from './kube-request.ts';
import { readPodCommand } from './pod-command.ts';

const POD = '/api/v1/namespaces/shop/pods/web-1';
const read = (query: string, subresource = 'exec') =>
  readPodCommand(parseKubeRequest('GET', `${POD}/${subresource}?${query}`, 'websocket'));

it.each([
  ['command=ls&command=-l&stdout=true', 'ls -l', false],
  ['command=sh&command=-c&command=rm+-rf+%2F%3B+id&stdout=1', "sh -c 'rm -rf /; id'", false],
  ["command=echo&command=it's&command=&stdout=true", "echo 'it'\\''s' ''", false],
  ['command=bash&tty=true&stdin=true&stdout=true', 'bash', true],
  ['command=/bin/sh&command=-il&tty=True&stdin=True&stdout=True', '/bin/sh -il', true],
  ['command=sh&command=-c&command=id&tty=true&stdout=true', 'sh -c id', false],
  ['command=sh&stdin=true&stdout=true', 'sh', false],
  ['command=env&command=sh&tty=true&stdin=true&stdout=true', 'env sh', false],
])('reads %s', (query, line, isShell) => {
  expect(read(query)).toMatchObject({ line, isShell });
});

it('attaches without a command', () => {
  expect(read('stdout=true&tty=true', 'attach')).toEqual({
    choice: { stdin: false, stdout: true, stderr: false, tty: true },
    line: undefined,
    isShell: true,
  });
});

it.each([
  'stdout=true',
  'command=ls',
  'command=ls&stdout=maybe',
  'command=ls&tty=1&tty=0&stdout=1',
])('refuses %s', (query) => {
  expect(() => read(query)).toThrow(UnclearRequest);
});
