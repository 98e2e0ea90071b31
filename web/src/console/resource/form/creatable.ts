import { domain, label, userGroup } from '@sallyport/contract';
import { common } from '../../../kit/i18n/index.ts';
import type { Source } from '../source.ts';
import type { FormGroup } from './spec.ts';

interface Creatable {
  readonly source: Source;
  readonly groups: readonly FormGroup[];
}

const plain = (source: Source, ...fields: readonly string[]): Creatable => ({ source, groups: [{ title: common.basicInfo, fields }] });

const CREATABLE: Readonly<Record<string, Creatable>> = {
  domain: plain(domain, 'name', 'comment'),
  label: plain(label, 'name', 'value', 'comment'),
  user_group: plain(userGroup, 'name', 'comment'),
};

/** How an object of a resource is made beside a form that needs it; undefined where that takes more than a few fields. */
export const creatable = (target: string): Creatable | undefined => CREATABLE[target];
