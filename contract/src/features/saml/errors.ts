import type { LocalText } from '../../kit/text.ts';

/** Errors of SAML. */
export const ERRORS = {
  saml_test_failed: { en: '{step} failed: {reason}', zh: '{step}失败：{reason}' },
  saml_metadata_twice: {
    en: 'Enter either the metadata or its URL, not both.',
    zh: '元数据与元数据地址只能填写一项。',
  },
  saml_attribute_map: {
    en: 'Must name an attribute for username, name and email; subject is optional. NameID is the name identifier.',
    zh: '须为 username、name、email 指定属性，subject 可选；NameID 表示名称标识符。',
  },
} as const satisfies Record<string, LocalText>;
