/** A text that a photo has, words that find it, and words that do not. */
export interface SearchedText {
  readonly what: string;
  readonly text: string;
  readonly found: readonly string[];
  readonly missed: readonly string[];
}

const decomposed = (text: string) => text.normalize('NFD');

/** What `q` finds in every script. */
export const searchedTexts: readonly SearchedText[] = [
  {
    what: 'Chinese, in the order of its characters',
    text: '在北京大学的图书馆',
    found: ['北京', '京大', '学的图书', '馆', '北京大学的图书馆', '图书 北京'],
    missed: ['京北', '北大', '大学图书', '圖書'],
  },
  {
    what: 'pairs of characters that are there, but not in a row',
    text: '東京都、京都庁',
    found: ['東京都', '京都庁', '都庁 東京'],
    missed: ['東京都庁', '都京'],
  },
  {
    what: 'Japanese beside digits and Latin letters',
    text: '東京2024 旅行 iPhoneで撮影',
    found: ['東京2024', '京20', '2024', '旅', 'iPhoneで', 'ｉｐｈｏｎｅ', '撮影', 'で撮'],
    missed: ['024', '京024', '東京2025', '2024旅行', 'phoneで', 'iphで'],
  },
  {
    what: 'a name between signs',
    text: 'IMG_東京タワー.jpg',
    found: ['img', 'タワ', 'ー', '東京タワー', '京タワー', 'jpg', 'IMG_東京'],
    missed: ['mg', 'タワ塔', '塔'],
  },
  {
    what: 'a date, whose numbers begin where they begin',
    text: '12月30日',
    found: ['12月', '12月30日', '月30', '月3', '30日', '3', '日'],
    missed: ['2月', '1月', '3月', '0日', '月0'],
  },
  {
    what: 'half-width kana, with their voicing',
    text: 'ﾊﾟｰﾃｨｰの写真',
    found: ['パーティー', 'ティ', 'ﾊﾟｰﾃｨ', 'の写', decomposed('パー')],
    missed: ['ハーティー', 'バー', 'ぱーてぃー'],
  },
  {
    what: 'kana that are decomposed',
    text: decomposed('ドライブ、音楽がくせい'),
    found: ['ライブ', 'がく', decomposed('がく'), 'ﾄﾞﾗｲﾌﾞ'],
    missed: ['ライフ', 'かく', 'トラ'],
  },
  {
    what: 'katakana on both sides of a middle dot',
    text: 'レオナルド・ダ・ヴィンチ',
    found: ['ナルド', 'レオナルド・ダ', 'ヴィンチ', 'ｳﾞｨﾝ'],
    missed: ['ルドダ', 'ウィンチ'],
  },
  {
    what: 'Korean, within compounds and before particles',
    text: '서울에서의 여름휴가',
    found: ['서울', '울에서', '휴가', '여름', '가', decomposed('휴가'), '휴가 서울'],
    missed: ['서을', '의여', '여름휴가지'],
  },
  {
    what: 'Korean that is decomposed',
    text: decomposed('강아지와산책'),
    found: ['강아지', '산책', '지와산', decomposed('산책')],
    missed: ['가', '강아기'],
  },
  {
    what: 'Thai, with its vowels and tones',
    text: 'วันหยุดที่เชียงใหม่',
    found: ['เชียงใหม่', 'หยุด', 'ที่', 'ใหม่', 'น'],
    missed: ['เชียงไหม่', 'เชียงใหม้', 'หยิด', 'วนหยด', 'กำ'],
  },
  { what: 'Thai am, whole or in two', text: 'น้ำตก', found: ['น้ำ', 'น้\u0e4dา', 'ตก'], missed: ['นำ', 'น้า'] },
  { what: 'Lao', text: 'ຫລວງພະບາງ', found: ['ພະບາງ', 'ບາງ', 'ຫລວງພະບາງ'], missed: ['ພະລາງ', 'ບຳ'] },
  {
    what: 'Khmer, with spaces that are not seen',
    text: 'ប្រាសាទ\u200bអង្គរ\u200bវត្ត',
    found: ['អង្គរ', 'វត្ត', 'ប្រាសាទអង្គរវត្ត', 'អង្គរ\u200bវត្ត'],
    missed: ['អង្គា', 'វត្តអង្គរ'],
  },
  { what: 'Burmese', text: 'ရွှေတိဂုံဘုရား', found: ['ဘုရား', 'တိဂုံ', 'ရွှေ'], missed: ['ဘိုရား', 'ဂုံတိ'] },
  {
    what: 'characters beyond the first plane',
    text: '\u{20bb7}野家の\u{2000b}\u{2a6d6}',
    found: ['\u{20bb7}', '\u{20bb7}野', '家の\u{2000b}', '\u{2000b}\u{2a6d6}', '\u{2a6d6}'],
    missed: ['\u{20bb8}', '吉野', '\u{2000b}\u{2000b}'],
  },
  {
    what: 'Latin, Cyrillic and Arabic by the beginnings of words',
    text: 'Éléphants à Łódź, Ёлка مُحَمَّد',
    found: ['ele', 'ŁODZ', 'елк', 'محمد'],
    missed: ['lep', 'лка', 'حمد'],
  },
  {
    what: 'emoji beside words',
    text: '🎉party🎂 2024',
    found: ['🎉', '🎂', 'party 🎂', '🎉🎂', '🎂🎉 par'],
    missed: ['🎈', '🎉 🎈', '🍰'],
  },
  {
    what: 'emoji whatever their tone of skin',
    text: 'ok 👍🏽👋',
    found: ['👍', '👍🏿', '👍🏽', '👋🏻'],
    missed: ['👎', '👎🏽'],
  },
  { what: 'emoji whatever their variation', text: '❤️ ☀', found: ['❤', '❤️', '☀️', '❤\ufe0e'], missed: ['♥️', '☁️'] },
  {
    what: 'joined emoji as one',
    text: '👨‍👩‍👧 and 🏳️‍🌈',
    found: ['👨‍👩‍👧', '👨', '🏳️‍🌈', '🏳‍🌈'],
    missed: ['👨‍👩‍👦', '👧', '🌈', '🏳️‍⚧️'],
  },
  {
    what: 'flags, which are two letters',
    text: '🇯🇵🇰🇷🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    found: ['🇯🇵', '🇰🇷', '🇰🇷🇯🇵', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    missed: ['🇵🇰', '🇷🇯', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  },
  { what: 'keycaps', text: '1️⃣ #️⃣ 東京2️⃣', found: ['1️⃣', '1⃣', '#️⃣', '1', '東京 2️⃣'], missed: ['3️⃣', '*️⃣'] },
];
