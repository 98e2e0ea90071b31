import { X509Certificate } from 'node:crypto';
import { cluster, clusterPermission } from '@sallyport/contract';
import { invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { clusterPermissionHooks } from '../perms/index.ts';

const MAX_LINES = 100;
/** Names at a cluster travel in headers: no control characters. */
const NAME = /^[^\p{Cc}]{1,253}$/u;
const NAMESPACE = /^[a-z0-9*]([-a-z0-9*]{0,61}[a-z0-9*])?$/;
const KIND = /^[a-z0-9*][-a-z0-9*/]{0,127}(\.[-a-z0-9*.]{1,253})?$/;

/** Returns the lines of a text without blanks. */
const linesOf = (text: unknown): string[] =>
  String(text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** @throws Invalid */
function assertLines(field: string, text: unknown, pattern: RegExp): void {
  const lines = linesOf(text);
  if (lines.length > MAX_LINES) throw invalid(field, 'cluster_lines', { max: MAX_LINES });
  const wrong = lines.find((line) => !pattern.test(line));
  if (wrong !== undefined) throw invalid(field, 'cluster_line', { line: wrong.slice(0, 64) });
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) !== undefined;
  } catch {
    return false;
  }
}

export const clusterHooks = hooksFor(cluster, {
  beforeSave(values) {
    if (values.ca_certificate && !isCertificate(values.ca_certificate))
      throw invalid('ca_certificate', 'not_certificate');
  },
});

export const permissionHooks = hooksFor(clusterPermission, {
  ...clusterPermissionHooks,
  async beforeSave(values, ...rest) {
    await clusterPermissionHooks.beforeSave?.(values, ...rest);
    assertLines('kube_user', values.kube_user, NAME);
    assertLines('kube_groups', values.kube_groups, NAME);
    assertLines('namespaces', values.namespaces, NAMESPACE);
    assertLines('kinds', values.kinds, KIND);
    // The names of the cluster's own parts pass most checks there.
    if (linesOf(values.kube_user).some((name) => name.startsWith('system:')))
      throw invalid('kube_user', 'cluster_reserved');
  },
});
