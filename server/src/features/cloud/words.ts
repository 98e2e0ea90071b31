import {
  type Language,
  type LocalText,
  type Problem,
  say,
  type TextParams,
} from '@sallyport/contract';
import { certificateSentence, PEER } from '../../platform/certificate-problem.ts';
import type { CloudError, CloudProblem } from '../../platform/cloud/cloud.ts';
import { describeProblem } from '../../platform/errors.ts';

/** Texts of the jobs. */
export const words = {
  sync: { en: 'Sync cloud instances', zh: '同步云实例' },
  test: { en: 'Test a cloud account', zh: '测试云账号' },
  region: {
    en: '{region}: {count, plural, one {# instance} other {# instances}}',
    zh: '{region}：{count, number} 个实例',
  },
  regionFailed: { en: '{region}: {reason}', zh: '{region}：{reason}' },
  made: { en: '{hostname}: asset created', zh: '{hostname}：资产已创建' },
  updated: { en: '{hostname}: asset updated', zh: '{hostname}：资产已更新' },
  left: { en: '{name}: {reason}', zh: '{name}：{reason}' },
  summary: {
    en: '{new, number} new, {unsync, number} not synced, {sync, number} synced, {released, number} released.',
    zh: '新增 {new, number}，未同步 {unsync, number}，已同步 {sync, number}，已释放 {released, number}。',
  },
  interrupted: { en: 'The run was interrupted', zh: '执行已中断' },
  noAddress: { en: 'The instance has no IP address', zh: '实例没有 IP 地址' },
  exists: {
    en: 'The asset {hostname} already has this address but belongs to no instance',
    zh: '资产 {hostname} 已使用此地址，且不属于任何实例',
  },
  deleted: {
    en: 'The asset was deleted, so the instance is excluded',
    zh: '其资产已被删除，因此不再同步',
  },
  upkeep: { en: 'End lost sync runs', zh: '结束丢失的同步任务' },
  nameTaken: { en: 'Other assets already use this name', zh: '名称已被其他资产使用' },
  available: {
    en: 'The account works: {count, plural, one {# region} other {# regions}}.',
    zh: '账号有效：{count, number} 个地域。',
  },
  unavailable: { en: 'The account does not work: {reason}', zh: '账号无效：{reason}' },
} as const;

/** Texts of the field `validity`. */
export const VALIDITY = {
  true: { en: 'Available', zh: '有效' },
  false: { en: 'Unavailable', zh: '无效' },
} as const;

const PROBLEMS: Readonly<Record<CloudProblem, LocalText>> = {
  wrong_key: {
    en: 'the provider does not accept the access key ({said})',
    zh: '云服务商不接受该访问密钥（{said}）',
  },
  no_right: {
    en: 'the access key has no permission for this ({said})',
    zh: '该访问密钥没有此权限（{said}）',
  },
  region_closed: {
    en: 'the region is not enabled for this account ({said})',
    zh: '该账号未开通此地域（{said}）',
  },
  throttled: {
    en: 'the provider is rate limiting requests ({said})',
    zh: '云服务商正在限流（{said}）',
  },
  unavailable: { en: 'the provider reports a failure ({said})', zh: '云服务商发生故障（{said}）' },
  no_answer: { en: 'the provider does not answer ({said})', zh: '云服务商没有响应（{said}）' },
  untrusted: { en: 'the certificate is not trusted ({said})', zh: '证书不受信任（{said}）' },
  refused_address: { en: 'the address is not allowed: {said}', zh: '不允许使用该地址：{said}' },
  too_long: { en: 'the response is too long', zh: '响应过长' },
  endless: { en: 'the list of instances never ends', zh: '实例列表没有结束' },
  unexpected: { en: 'unexpected response: {said}', zh: '意外的响应：{said}' },
};

/** Formats a text in both languages for storage. */
export const both = (text: LocalText, params: TextParams): LocalText => ({
  en: say(text, 'en', params),
  zh: say(text, 'zh', params),
});

/** Describes a failed request to a provider, for administrators. */
export const textOf = ({ problem, detail }: CloudError): LocalText =>
  certificateSentence(detail, PEER.cloud) ?? both(PROBLEMS[problem], { said: detail || '-' });

/** Joins problems of fields to one text in both languages. */
export function textOfProblems(problems: readonly Problem[]): LocalText {
  const inOne = (language: Language) =>
    problems.map((problem) => describeProblem(problem, language)).join(' ');
  return { en: inOne('en'), zh: inOne('zh') };
}
