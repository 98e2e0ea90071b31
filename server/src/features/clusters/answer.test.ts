import { expect, it } from 'vitest';
import { returnedHeaders } from './answer.ts';

it.each([
  [
    '/api/v1/namespaces/a/services/b/proxy/login',
    '/k8s/id/api/v1/namespaces/a/services/b/proxy/login',
  ],
  ['https://login.example.com/', 'https://login.example.com/'],
  ['//login.example.com/', '//login.example.com/'],
  ['next', 'next'],
])('redirects a client from %s to %s', (location, expected) => {
  expect(returnedHeaders({ location, 'set-cookie': ['a=b'] }, '/k8s/id')).toEqual({
    location: expected,
  });
});
