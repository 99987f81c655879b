import {
  cleanText,
  compareText,
  foldKey,
  searchText,
  searchWords,
  truncate,
  wordUnits,
} from '../../src/core/shared/text.js';

describe('text from outside', () => {
  it('loses NUL and outer space, and is NFC', () => expect(cleanText(' a\u0000e\u0301 ')).toBe('aé'));
  it('is cut between code points', () => expect(truncate('😀😀😀', 2)).toBe('😀😀'));
});

describe('the key of a name', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['Ångström', 'ÅNGSTRÖM'],
    ['ΟΔΟΣ', 'οδος'],
    ['ﬁsh', 'FISH'],
    ['Ｐａｒｉｓ', 'paris'],
  ])('is the same for %s and %s', (a, b) => expect(foldKey(a)).toBe(foldKey(b)));
  it('keeps the dotless ı apart from i, as case folding does', () => {
    expect(foldKey('ısı')).not.toBe(foldKey('isi'));
    expect(foldKey('ISSIZ')).toBe(foldKey('issiz'));
  });
  it('keeps accents apart', () => expect(foldKey('resume')).not.toBe(foldKey('résumé')));
});

describe('search words', () => {
  it('are folded, without accents and punctuation', () =>
    expect(searchWords('Éléphant, DSC_3701.jpg')).toEqual(['elephant', 'dsc', '3701', 'jpg']));
  it('are taken from several texts', () => expect(searchText('A-b', null, 'C')).toBe('a b c'));
});

describe('search words of scripts without spaces', () => {
  it.each([
    ['ﾊﾟﾊﾟ', ['パパ']],
    ['か\u3099くせい', ['がくせい']],
    ['서울'.normalize('NFD'), ['서울']],
    ['น้ำ', ['น้\u0e4dา']],
    ['អង្គរ\u200bវត្ត', ['អង្គរវត្ត']],
    ['東京2024 旅行', ['東京2024', '旅行']],
    ['a\u200bb', ['a', 'b']],
    ['©2024 Ada™', ['2024', 'adatm']],
  ])('%s', (text, words) => expect(searchWords(text)).toEqual(words));

  it('are each of their characters, and what stands between them', () => {
    expect(wordUnits('東京2024年iphone')).toEqual(['東', '京', '2024', '年', 'iphone']);
    expect(wordUnits('\u{20bb7}野')).toEqual(['\u{20bb7}', '野']);
    expect(wordUnits('paris')).toEqual(['paris']);
  });
});

describe('emoji are search words', () => {
  it.each([
    ['❤️👍🏽', ['❤', '👍']],
    ['👨‍👩‍👧👦', ['👨\u200d👩\u200d👧', '👦']],
    ['🇯🇵🇰🇷', ['🇯🇵', '🇰🇷']],
    ['day1️⃣ #️⃣', ['day', '1\u20e3', '#\u20e3']],
    ['🏽', []],
    ['\ufe0f\u200d', []],
  ])('%s', (text, words) => expect(searchWords(text)).toEqual(words));
});

describe('the order of names', () => {
  it('is by code point, where UTF-16 would put U+1F600 before U+FF5E', () => {
    expect(compareText('\u{1f600}', '\uff5e')).toBeGreaterThan(0);
    expect('\u{1f600}' < '\uff5e').toBe(true);
  });
  it('puts the shorter first', () => expect(compareText('a', 'ab')).toBeLessThan(0));
  it('is 0 for equal names', () => expect(compareText('ab', 'ab')).toBe(0));
});
