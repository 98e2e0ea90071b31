import { expect, it } from 'vitest';
import { brandOf } from './brand.ts';

const LOGO_URLS = {
  logo_logout: '/static/img/logo.png',
  logo_index: '/static/interface/index',
  login_image: 'https://elsewhere.example.com/x.png',
  favicon: '',
};

it('uses the product name as the title until another one is set', () => {
  expect(brandOf({ LOGIN_TITLE: '', LOGO_URLS }).title).toBe('Sallyport');
  expect(brandOf({ LOGIN_TITLE: '运维门户', LOGO_URLS }).title).toBe('运维门户');
});

it('loads pictures of this site only', () => {
  expect(brandOf({ LOGIN_TITLE: '', LOGO_URLS })).toMatchObject({
    indexLogo: '/static/interface/index',
    logoutLogo: undefined,
    loginImage: undefined,
  });
});
