import type { LocalText } from '../kit/text.ts';

/** Errors of private keys. `form` names the form of the file. */
export const KEY_ERRORS = {
  not_private_key: {
    en: 'This is not a private key. OpenSSH, PEM, PKCS#8 and PuTTY (.ppk) files are accepted.',
    zh: '这不是私钥。可使用 OpenSSH、PEM、PKCS#8 或 PuTTY（.ppk）格式的文件。',
  },
  private_key_closed: {
    en: 'The password does not open this key ({form}). Enter the passphrase of the key as the password.',
    zh: '密码无法解开该私钥（{form}）。请在密码中填写该私钥的密码短语。',
  },
  private_key_damaged: {
    en: 'This key ({form}) is incomplete or damaged.',
    zh: '该私钥（{form}）不完整或已损坏。',
  },
  private_key_kind: {
    en: 'Keys of the kind {kind} ({form}) are not supported. RSA, ECDSA (NIST curves) and Ed25519 are.',
    zh: '不支持 {kind} 类型的私钥（{form}），支持 RSA、ECDSA（NIST 曲线）和 Ed25519。',
  },
  private_key_cipher: {
    en: 'Keys that are encrypted with {cipher} ({form}) cannot be opened. Save the key with another cipher, such as AES, or without a passphrase.',
    zh: '无法解开用 {cipher} 加密的私钥（{form}）。请改用其他加密算法（如 AES）保存，或去掉密码短语。',
  },
  private_key_costly: {
    en: 'Opening this key ({form}) takes too much work. Save it with fewer rounds, or without a passphrase.',
    zh: '解开该私钥（{form}）的计算量过大。请减少轮数，或去掉密码短语后重新保存。',
  },
} as const satisfies Record<string, LocalText>;
