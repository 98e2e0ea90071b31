import type { LocalText } from '../kit/text.ts';

/** A feature that an installation can do without. */
export interface OptionalFeature {
  readonly title: LocalText;
  /** The loss of users while the feature is off. */
  readonly without: LocalText;
  /** Its categories of settings. While it is off, their values are the defaults. */
  readonly settings?: readonly string[];
  /** Rules of this feature stay in force while it is off. Users cannot change them. */
  readonly protects?: LocalText;
}

/** A kind of accounts that a feature signs in. */
export interface SignInSource {
  /** The value in rows of accounts. */
  readonly value: string;
  readonly label: LocalText;
  /** The part of the program that writes the accounts, in the operate log. */
  readonly service: string;
  /** `page`: the provider asks for the password, so Sallyport never sees it. */
  readonly way: 'password' | 'page';
  /** True if sign-ins report the groups of the user, which group mappings use. */
  readonly reportsGroups: boolean;
  /** True if an identity provider can maintain its users by SCIM. */
  readonly scim?: true;
  /** The value in accounts of JumpServer, if another. */
  readonly imported?: string;
}

/** Users of an identity provider cannot sign in. */
export const noSignIn = (provider: string): LocalText => ({
  en: `Users of ${provider} cannot sign in with it.`,
  zh: `${provider} 用户无法用它登录。`,
});
