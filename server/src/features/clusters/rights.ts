import type { ClusterAction, ErrorCode, ErrorParams } from '@sallyport/contract';
import { matchesPieces } from '../../platform/allowed-commands.ts';
import type { ClusterRule } from '../connections/index.ts';
import type { KubeRequest } from './kube-request.ts';

/** The identity of a request at the cluster. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The identity of an allowed request, or the reason of a refusal. */
export type RequestDecision =
  | Identity
  | { readonly refusal: { readonly code: ErrorCode; readonly params: ErrorParams } };

/** Actions that need no verb next to them. The others also change or read objects. */
const ALONE: ReadonlySet<ClusterAction> = new Set<ClusterAction>([
  'logs',
  'exec',
  'attach',
  'portforward',
]);

/** Returns the name of a resource with its group, as `kubectl` writes it. */
export const kindName = (group: string, resource: string, subresource = ''): string =>
  `${resource}${subresource && `/${subresource}`}${group && `.${group}`}`;

const EVERYWHERE = '*';

/** Returns true if one of the patterns matches. An asterisk stands for any text. */
const namesOne = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesPieces(pattern.split('*'), name));

/** Returns true if a permission reaches a namespace; '' is the whole cluster. */
const reaches = ({ namespaces }: ClusterRule, namespace: string): boolean =>
  namespace === '' ? namespaces.includes(EVERYWHERE) : namesOne(namespaces, namespace);

/** Returns the place of a request, for messages. */
export const placeOf = ({ namespace, name }: Pick<KubeRequest, 'namespace' | 'name'>): string =>
  [name && `"${name}"`, namespace === '' ? 'in the whole cluster' : `in ${namespace}`]
    .filter(Boolean)
    .join(' ');

/**
 * Decides on a request by the permissions that hold now. One of them must allow all of it: its
 * namespace, verb, kind, and each action. `further` are actions that its body needs.
 */
export function decide(
  request: KubeRequest,
  rules: readonly ClusterRule[],
  further: readonly ClusterAction[] = [],
): RequestDecision {
  const { verb, namespace, group, resource, subresource, action, isOpen, isKnown } = request;
  const kind = kindName(group, resource, subresource);
  const actions = [...(action ? [action] : []), ...further];
  const isAlone = action !== undefined && ALONE.has(action);
  const stages: readonly ((rule: ClusterRule) => boolean)[] = isOpen
    ? []
    : [
        (rule) => isKnown || namesOne(rule.kinds, kind),
        (rule) => reaches(rule, namespace) && (isAlone || rule.verbs.includes(verb)),
        (rule) => actions.every((one) => rule.actions.includes(one)),
      ];
  let left = rules;
  for (const [index, holds] of stages.entries()) {
    const next = left.filter(holds);
    if (next.length === 0) {
      const lacking =
        actions.find((one) => left.every((rule) => !rule.actions.includes(one))) ?? actions[0];
      const params = { verb, kind, place: placeOf(request), action: lacking ?? '' };
      const code = (['cluster_kind', 'cluster_verb', 'cluster_action'] as const)[index];
      return { refusal: { code: code ?? 'cluster_verb', params } };
    }
    left = next;
  }
  const user = left[0]?.user ?? '';
  // The cluster trusts its own parts by these names.
  if (user === '' || user.startsWith('system:'))
    return { refusal: { code: 'cluster_user', params: { user } } };
  const groups = left.flatMap((rule) => (rule.user === user ? rule.groups : []));
  return { user, groups: [...new Set(groups)] };
}

/** Returns true if permissions still allow a running request as its whole identity. */
export function stillAllows(
  request: KubeRequest,
  rules: readonly ClusterRule[],
  { user, groups }: Identity,
): boolean {
  const now = decide(request, rules);
  return (
    !('refusal' in now) && now.user === user && groups.every((group) => now.groups.includes(group))
  );
}
