import type { LocalText } from '@sallyport/contract';
import { language } from '../../../kit/i18n/language.ts';

/**
 * Pinyin of the characters in pages and actions. The server, which knows all characters, searches
 * objects.
 */
const TABLE =
  '外wai警jing告gao部bu远yuan程cheng应ying库ku云yun心xin同tong步bu不bu业ye个ge中zhong为wei主zhu产chan人ren令ling仪yi任ren企qi会hui作zuo使shi例li侧ce信xin修xiu关guan其qi内nei出chu切qie列lie则ze创chuang到dao制zhi刷shua' +
  '务wu动dong助zhu勿wu匹pi单dan去qu可ke台tai号hao后hou向xiang否fou员yuan命ming和he善shan在zai地di址zhi域yu天tian存cun它ta完wan实shi审shen容rong密mi导dao将' +
  'jiang展zhan帮bang平ping建jian开kai式shi弹tan录lu像xiang储chu往wang志zhi快kuai息xi您nin情qing成cheng我wo或huo户hu所suo打da择ze持chi换huan据ju捷jie授shou接jie控ko' +
  'ng搜sou操cao支zhi收shou改gai放fang数shu文wen新xin无wu日ri显xian更geng最zui有you期qi末mo本ben权quan板ban果guo查cha标biao栏lan树shu格ge框kuang档dang事shi检j' +
  'ian未wei模mo没mei法fa浅qian深shen演yan点dian焦jiao版ban献xian理li用yong登deng的de盘pan看kan真zhen码ma示shi移yi窗chuang端duan签qian管guan系xi索suo组zu织zh' +
  'i滤lv器qi终zhong结jie统tong编bian网wang置zhi者zhe聚ju能neng航hang色se节jie菜cai行xing表biao要yao规gui角jiao计ji记ji设she访fang话hua详xiang误wu请qing贡gong账' +
  'zhang工gong申shen资zi起qi跳tiao辑ji边bian过guo近jin连lian退tui选xuan邀yao配pei钥yao键jian件jian闭bi问wen限xian面mian页ye题ti首shou批pi量liang监jian匣xia子zi划hua执zhi集ji群qun序xu求qiu历li史shi启qi紧jin急ji传chuan输shu丢diu失shi删shan除chu' +
  '通tong知zhi定ding时shi运yun线xian与yu机ji自zi功gong发fa堡bao垒lei服fu器qi主zhu密mi变bian更geng结jie束shu现xian谁shui以yi已yi中zhong心xin作zuo业ye列lie监jian证zheng书shu颁ban构gou条tiao段duan络luo确que认ren备bei份fen练lian映ying射she合he预yu智zhi体ti手shou牌pai';

const READINGS: ReadonlyMap<string, string> = new Map(
  [...TABLE.matchAll(/([一-鿿])([a-z]+)/g)].map(([, letter = '', reading = '']) => [
    letter,
    reading,
  ]),
);

interface Reading {
  readonly syllables: readonly string[];
  readonly whole: string;
  readonly initials: string;
}

/** The pinyin of a name; other characters remain unchanged. */
export function pinyinOf(name: string): Reading {
  const syllables = [...name.toLowerCase().replace(/\s+/g, '')].map(
    (letter) => READINGS.get(letter) ?? letter,
  );
  return {
    syllables,
    whole: syllables.join(''),
    initials: syllables.map((syllable) => syllable[0]).join(''),
  };
}

/**
 * Match quality: 0 the name is the text, 1 it begins with the text, 2 words begin with it, 3 the
 * name contains it.
 */
export type Fit = 0 | 1 | 2 | 3;

/** Shorter texts match beginnings of words only: `rm` is no part of *Platforms*. */
const SHORTEST_INSIDE = 3;

function fitOfText(text: string, words: readonly string[]): Fit | undefined {
  const name = text.toLowerCase();
  const whole = words.join(' ');
  if (name === whole) return 0;
  if (name.startsWith(whole)) return 1;
  if (!words.every((word) => name.includes(word))) return undefined;
  if (words.every((word) => ` ${name}`.includes(` ${word}`))) return 2;
  const isChinese = /[一-鿿]/.test(whole);
  return isChinese || words.every(({ length }) => length >= SHORTEST_INSIDE) ? 3 : undefined;
}

function fitOfPinyin(name: string, typed: string): Fit | undefined {
  if (typed.length < 2) return undefined;
  const { whole, initials, syllables } = pinyinOf(name);
  if (whole === typed) return 0;
  if (whole.startsWith(typed) || initials.startsWith(typed)) return 1;
  const isInside = syllables.some((_, at) => syllables.slice(at).join('').startsWith(typed));
  return isInside ? 2 : undefined;
}

/**
 * Matches a name in both languages; undefined without a match. Readers of Chinese also find it by
 * pinyin.
 */
export function fitOf(
  { en, zh }: LocalText,
  query: string,
  reader: 'en' | 'zh' = language,
): Fit | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = [en, zh].flatMap((text) => fitOfText(text, words) ?? []);
  if (reader === 'zh') fits.push(...[fitOfPinyin(zh, words.join('')) ?? []].flat());
  return fits.toSorted()[0];
}

/** The best match of several names; undefined if none matches. */
export function bestFit(
  names: readonly LocalText[],
  query: string,
  reader: 'en' | 'zh' = language,
): Fit | undefined {
  return names.flatMap((name) => fitOf(name, query, reader) ?? []).toSorted()[0];
}
