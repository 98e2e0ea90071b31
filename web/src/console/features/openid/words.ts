import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  setup: { zh: '选择身份提供方', en: 'Set up a provider' },
  redirectAddress: { zh: '登录回调地址', en: 'Redirect URL' },
  logoutAddress: { zh: '退出后跳转地址', en: 'URL after sign-out' },
  backChannel: { zh: '后端通道注销地址', en: 'Back-channel logout URL' },
  presetFill: { zh: '填入表单', en: 'Fill in the form' },
  presetFilled: {
    zh: '已填入表单，请补充客户端 ID 和密钥后保存',
    en: 'Filled in. Add the client ID and secret, then save.',
  },
  presetRealm: { zh: 'Realm 地址', en: 'Realm URL' },
  presetKeycloak: {
    zh: '在 Realm 中新建 OpenID Connect 客户端，开启客户端认证。',
    en: 'Create an OpenID Connect client in the realm and turn on client authentication.',
  },
  presetTenant: { zh: '目录（租户）ID', en: 'Directory (tenant) ID' },
  presetEntra: {
    zh: '在“应用注册”中新建 Web 应用，租户 ID 见其概述页。',
    en: 'Register a web application. Its overview page shows the tenant ID.',
  },
  presetOktaDomain: { zh: 'Okta 域名', en: 'Okta domain' },
  presetOkta: {
    zh: '新建 OIDC Web 应用，并将其分配给用户。',
    en: 'Create an OIDC web application and assign it to your users.',
  },
  presetGoogle: {
    zh: '在 Google Cloud 控制台新建“Web 应用”OAuth 客户端。邮箱作为用户名。',
    en: 'Create an OAuth client of the type web application in the Google Cloud console. The email becomes the username.',
  },
  presetService: { zh: '身份服务的签发者地址', en: 'Issuer of the identity service' },
  presetServiceHint: {
    zh: '钉钉、飞书和企业微信使用各自的 OAuth 协议。请用支持 OpenID Connect 的身份服务（如阿里云 IDaaS）对接，再填写其中应用的签发者地址。',
    en: 'DingTalk, Feishu and WeCom use their own OAuth. Connect them to an identity service with OpenID Connect, such as Alibaba Cloud IDaaS, and enter the issuer of the application there.',
  },
});
