package text

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// words are the head of a table and cells of it, by language.
var words = map[string][2]string{
	"de": {"Name;Größe;Preis;Stadt",
		"Müller|Jürgen Schäfer|Köln|München|Straße|Österreich|Überweisung|Lösung|grün|Äpfel|fünf|Düsseldorf|weiß|zurück|Gebühr|Rechnung|Bestellung|Schlüssel|5 €|„gut“"},
	"fr": {"Nom;Prénom;Adresse;Téléphone",
		"Hélène|François Lefèvre|Chloé|élève|où l’été|préfecture|à côté|Noël|garçon|forêt|hôtel|déjà|reçu|Besançon|société|numéro|qualité|œuvre|5 €|Orléans"},
	"es": {"Nombre;Año;Dirección;Teléfono",
		"José|Muñoz|Peña|España|Málaga|niño|corazón|mañana|García|Hernández|León|último|inglés|camión|cigüeña|Córdoba|¿Qué?|día|avión|Jiménez"},
	"sv": {"Namn;Ålder;Kön;Ort",
		"Åsa Öberg|Västerås|Malmö|räksmörgås|Göran|även|från|över|både|Håkan|Sjöström|Växjö|kött|blå|måndag|lördag|på|är|för|år"},
	"pt": {"Nome;Endereço;Preço;Descrição",
		"João|São Paulo|coração|informação|Conceição|não|avô|três|último|português|açúcar|pão|mãe|Gonçalves|Antônio|ônibus|você|é|à vista|nações"},
	"ru": {"Имя;Цена;Город",
		"Иван Петров|Мария Смирнова|Москва|Санкт-Петербург|стоимость|количество|Товар|дата|ёлка|объект|улица Ленина|Алексей|Ольга|заказ|итого|руб.|Сидоров|Екатеринбург|шкаф|щётка"},
	"uk": {"Ім'я;Ціна;Місто",
		"Тарас Шевченко|Київ|Львів|Україна|кількість|їжак|вулиця|ґанок|гривня|сума|Олена|Іван|Харків|є|це|рахунок|товар|Запоріжжя|людина|місяць"},
	"pl": {"Imię;Nazwisko;Miasto;Cena",
		"Łukasz|Wałęsa|Kraków|Łódź|Gdańsk|książka|żółty|świętość|Poznań|Wojciech Kowalski|źródło|dziękuję|Małgorzata|ćma|ręka|złoty|są|się|będzie|ulica Długa"},
	"cs": {"Jméno;Město;Částka;Poznámka",
		"Jiří Dvořák|Plzeň|České Budějovice|žluťoučký kůň|příliš|Božena Němcová|ďábel|měsíc|účet|Štěpán|řeka|děkuji|není|může|Třebíč|Ústí|faktura č.|východ|pět|šest"},
	"hu": {"Név;Város;Ár;Cím",
		"Győr|Szűcs Erzsébet|Kovács János|fűtés|őszi|Székesfehérvár|külön|könyv|üdvözlet|nő|idő|gyümölcs|összeg|számla|első|főút|kér|két|tűz|híd"},
	"el": {"Όνομα;Πόλη;Τιμή",
		"Γιώργος Παπαδόπουλος|Αθήνα|Θεσσαλονίκη|Μαρία|τιμολόγιο|ποσό|Άννα|Έλενα|ημερομηνία|διεύθυνση|τηλέφωνο|και|είναι|Ελλάδα|σύνολο|Νίκος|Κρήτη|όχι|προϊόν|υπηρεσία"},
	"ja": {"名前,価格,住所",
		"山田太郎|鈴木花子|東京都千代田区|大阪府大阪市|りんご|バナナ|会社名|電話番号|株式会社テスト|佐藤一郎|数量|合計金額|商品コード|備考|ありがとうございます|テスト|請求書|田中|北海道|在庫"},
	"zh": {"姓名,价格,城市",
		"王伟|李娜|北京市|上海市|张三|电话号码|公司名称|产品|数量|总计|订单编号|备注|广东省深圳市|谢谢|你好世界|刘洋|杨丽|人民币|中国|地址"},
	"tw": {"姓名,價格,城市",
		"王小明|陳怡君|台北市|高雄市|電話號碼|公司名稱|產品|數量|總計|訂單編號|備註|新竹縣|謝謝|你好世界|林志明|黃淑芬|新台幣|中華民國|地址|國立大學"},
	"ko": {"이름,가격,도시",
		"김철수|이영희|서울특별시|부산광역시|전화번호|회사명|제품|수량|합계|주문번호|비고|감사합니다|안녕하세요|박지성|최민수|대한민국|주소|경기도|사용자|정보"},
	"tr": {"Ad;Şehir;Fiyat;Açıklama",
		"Ayşe Yılmaz|İstanbul|Çağrı|güneş|Iğdır|Şanlıurfa|öğrenci|değil|için|teşekkürler|ağaç|ışık|Diyarbakır|sayın|gümüş|çiçek|doğum|küçük|yaş|İzmir"},
	"he": {"שם,עיר,מחיר",
		"דוד כהן|ירושלים|תל אביב|שלום|תודה|רחוב|מספר|טלפון|חברה|סכום|הזמנה|כמות|שרה לוי|ישראל|בית|ספר|יום|שנה|לקוח|מוצר"},
	"ar": {"الاسم,المدينة,السعر",
		"محمد علي|القاهرة|شكرا|رقم الهاتف|شركة|المجموع|الكمية|فاطمة|الرياض|العنوان|طلب|مصر|اليوم|كتاب|منتج|عميل|سنة|بيت|سلام|مدرسة"},
	"th": {"ชื่อ,เมือง,ราคา",
		"สมชาย ใจดี|กรุงเทพ|ขอบคุณ|หมายเลข|บริษัท|จำนวน|รวม|ที่อยู่|สวัสดี|เชียงใหม่|สินค้า|วันที่|โทรศัพท์|ประเทศไทย|ลูกค้า|ภาษี|บ้าน|น้ำ|คน|ปี"},
	"lt": {"Vardas;Miestas;Kaina",
		"Jonas Žukauskas|Šiauliai|Kęstutis|ąžuolas|žmogus|Panevėžys|ačiū|sąskaita|įmonė|kiekis|gatvė|lėšos|šeši|būti|Klaipėda|ūkis|čia|yra|mėnuo|Vilnius"},
}

// plain are cells that say nothing about the encoding.
var plain = []string{"100", "12,50", "2024-01-31", "A-17", "info@example.com", "yes", "x"}

// written are the encodings in which programs write tables, by language.
var written = []struct {
	encoding  encoding.Encoding
	languages string
	least     int // tables of 100 with five lines that are read
}{
	{charmap.Windows1252, "de fr es sv pt", 100}, {charmap.ISO8859_1, "de fr es sv pt", 100},
	{charmap.ISO8859_15, "de fr", 95}, {charmap.Macintosh, "de fr es sv pt", 97},
	{charmap.CodePage850, "de fr es", 97},
	{charmap.Windows1250, "pl cs hu", 97}, {charmap.ISO8859_2, "pl cs hu", 94},
	{charmap.Windows1251, "ru uk", 97}, {charmap.KOI8R, "ru", 97}, {charmap.KOI8U, "uk", 97},
	{charmap.CodePage866, "ru", 97}, {charmap.Windows1253, "el", 97}, {charmap.Windows1254, "tr", 94},
	{charmap.Windows1255, "he", 94}, {charmap.Windows1256, "ar", 97}, {charmap.Windows874, "th", 97},
	{charmap.Windows1257, "lt", 80},
	{japanese.ShiftJIS, "ja", 97}, {japanese.EUCJP, "ja", 97}, {japanese.ISO2022JP, "ja", 100},
	{simplifiedchinese.GBK, "zh", 97}, {simplifiedchinese.GB18030, "zh", 97},
	{traditionalchinese.Big5, "tw", 97}, {korean.EUCKR, "ko", 97},
}

// made returns a table with a number of lines, most of whose cells are words of
// a language.
func made(r *rand.Rand, language string, lines int, headed bool) string {
	head, cells := words[language][0], strings.Split(words[language][1], "|")
	comma := ","
	if strings.Contains(head, ";") {
		comma = ";"
	}
	columns := strings.Count(head, comma) + 1
	if !headed {
		head = strings.Join([]string{"id", "value", "note", "more"}[:columns], comma)
	}
	text := head + "\r\n"
	for range lines {
		row := make([]string, columns)
		for i := range row {
			if row[i] = cells[r.IntN(len(cells))]; r.IntN(5) < 2 {
				row[i] = plain[r.IntN(len(plain))]
			}
		}
		text += strings.Join(row, comma) + "\r\n"
	}
	return text
}

// TestShortTables checks that tables of five lines are read right in each
// encoding and language.
func TestShortTables(t *testing.T) {
	const seed = 11
	for _, w := range written {
		for language := range strings.FieldsSeq(w.languages) {
			r := rand.New(rand.NewPCG(seed, 1))
			all, right, wrong := 0, 0, ""
			for i := range 200 {
				text := made(r, language, 5, i%2 == 0)
				b, err := w.encoding.NewEncoder().String(text)
				if err != nil || utf8.ValidString(b) && w.encoding != japanese.ISO2022JP {
					continue
				}
				all++
				if got := Decode([]byte(b), false); got == text {
					right++
				} else {
					wrong = got
				}
			}
			if all < 20 || right*100 < all*w.least {
				t.Errorf("%v of %s: %d of %d tables are right, such as not %q", w.encoding, language, right, all, wrong)
			}
			t.Logf("%v of %s: %d of %d tables", w.encoding, language, right, all)
		}
	}
}

// TestUnicode checks texts in forms of Unicode, with a mark and without, whole
// and cut anywhere.
func TestUnicode(t *testing.T) {
	for name, text := range map[string]string{"table": "Name;Größe\nMüller;10 €\n𝄞;1\n", "short": "hällo\n", "ASCII": "a,b\n1,2\n"} {
		for _, f := range []struct {
			encoding encoding.Encoding
			mark     string
		}{
			{unicode.UTF8, ""}, {unicode.UTF8, "\xef\xbb\xbf"},
			{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "\xff\xfe"},
			{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "\xfe\xff"},
			{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), ""},
			{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), ""},
			{utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "\xff\xfe\x00\x00"},
			{utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "\x00\x00\xfe\xff"},
			{utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), ""},
			{utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), ""},
		} {
			s, err := f.encoding.NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			b := []byte(f.mark + s)
			if got := Decode(b, false); got != text {
				t.Errorf("%s in %v after %q: %q, want %q", name, f.encoding, f.mark, got, text)
			}
			for n := 16; n < len(b); n++ {
				if got := Decode(b[:n], true); !strings.HasPrefix(text, got) {
					t.Errorf("%s in %v after %q, cut at %d: %q", name, f.encoding, f.mark, n, got)
				}
			}
		}
	}
}

// TestDeclared checks that what a text says of its encoding decides, if it can
// be true.
func TestDeclared(t *testing.T) {
	for text, want := range map[string]string{
		"<?xml version='1.0' encoding='ISO-8859-5'?><a>\xdf\xe0</a>":          "<?xml version='1.0' encoding='ISO-8859-5'?><a>пр</a>",
		"<?xml version=\"1.0\" encoding=\"windows-1250\"?>\n<a>\xf8</a>":      "<?xml version=\"1.0\" encoding=\"windows-1250\"?>\n<a>ř</a>",
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>Gr\xf6\xdfe f\xfcr</a>": "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>Größe für</a>",
		"<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>Gr\xf6\xdfe</a>":       "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>Größe</a>",
		"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>Größe</a>":         "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>Größe</a>",
		"<meta charset=koi8-r><p>\xd4\xc5\xd3\xd4":                            "<meta charset=koi8-r><p>тест",
		"@charset \"macintosh\"; /* \x9f */":                                  "@charset \"macintosh\"; /* ü */",
		"a damaged line \xff of UTF-8: Größe und Käufer":                      "a damaged line \ufffd of UTF-8: Größe und Käufer",
	} {
		if got := Decode([]byte(text), false); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPage checks the encodings of web pages, by their names for browsers.
func TestPage(t *testing.T) {
	for page, want := range map[string]string{
		"<p>x":                             "utf-8",
		"<meta charset=utf-8>":             "utf-8",
		"<meta charset=Windows-1252>x":     "windows-1252",
		"<META CHARSET='ISO-8859-1'>Größe": "windows-1252",
		"<meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>": "shift_jis",
		"":                                          "utf-8",
		"<meta name=x content='charset'>":           "utf-8",
		"<meta charset=\"x\r\ny\">":                 "utf-8",
		"<meta charset=utf-16><p>x":                 "utf-8",
		"<meta charset=utf-8>Gr\xf6\xdfe":           "windows-1252",
		"<p>\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0":  "windows-1251",
		"\xff\xfe<\x00p\x00>\x00":                   "utf-16le",
		"\xfe\xff\x00<\x00p\x00>":                   "utf-16be",
		"<p>M\x81ller f\x81r 5":                     "windows-1252",
		"<meta charset=x-unknown><p>gr\xfcn f\xfcr": "windows-1252",
	} {
		if _, got := PageCharset([]byte(page)); got != want {
			t.Errorf("%q: %s, want %s", page, got, want)
		}
	}
	r, err := PageReader(strings.NewReader("<meta charset=shift_jis>\x8e\x52" + strings.Repeat(" ", maxHead) + "\x93\x63"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil || !bytes.Contains(b, []byte("山")) || !bytes.HasSuffix(b, []byte("田")) {
		t.Errorf("%q, %v", b[:60], err)
	}
}

// TestLateLetters checks a text whose first letters beyond ASCII come late.
func TestLateLetters(t *testing.T) {
	text := strings.Repeat("id;name\n", 100_000)
	if got := Decode([]byte(text+"1;M\xfcller aus K\xf6ln\n"), false); got != text+"1;Müller aus Köln\n" {
		t.Errorf("ends with %q", got[len(got)-30:])
	}
}

// FuzzDecode checks that any bytes become valid UTF-8 of a bounded size, and
// that valid UTF-8 does not change.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("Gr\xc3\xbc\xc3"), true)
	f.Add([]byte{0xff, 0xfe, 0x3d, 0xd8}, true)
	f.Add([]byte("\x81\x30\x81"), false)
	f.Fuzz(func(t *testing.T, b []byte, cut bool) {
		got := Decode(b, cut)
		if !utf8.ValidString(got) || len(got) > 3*len(b)+8 {
			t.Fatalf("decoded %q to %q", b, got)
		}
		same := utf8.Valid(b) && !bytes.ContainsAny(b, "\x00\x1b\ufeff") && !strings.HasSuffix(string(b), "\ufffd")
		if same && got != string(b) {
			t.Fatalf("decoded %q to %q, want it unchanged", b, got)
		}
	})
}

// TestWideOf checks that a text of four bytes a unit is told from one of two,
// also with characters that need more than two of them.
func TestWideOf(t *testing.T) {
	units := func(s string, width int, big bool) (p []byte) {
		for _, r := range s {
			for i := range width {
				at := i
				if big {
					at = width - 1 - i
				}
				p = append(p, byte(r>>(8*at)))
			}
		}
		return p
	}
	text := "A line of a text, and another one.\nThe last one.\n"
	for _, big := range []bool{false, true} {
		for width, s := range map[int]string{2: text, 4: text + "🙂"} {
			if got, want := WideOf(units(s, width, big)), (Wide{Width: width, Big: big}); got != want {
				t.Errorf("WideOf(%d bytes a unit) = %+v, want %+v", width, got, want)
			}
			if got, want := WideOf(units("\ufeff"+s, width, big)), (Wide{width, big, width}); got != want {
				t.Errorf("WideOf(%d bytes a unit, with a mark) = %+v, want %+v", width, got, want)
			}
		}
	}
	if got := WideOf([]byte(text)); got != (Wide{}) {
		t.Errorf("WideOf(UTF-8) = %+v", got)
	}
}
