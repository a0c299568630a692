package inspect

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

// expended inspects a file with an account of budgets and returns what was
// spent.
func expended(ext string, data []byte, whole filetype.Account) (filetype.Account, string) {
	typ, _ := filetype.ByExt("." + ext)
	s := filetype.NewSource(bytes.NewReader(data), int64(len(data)))
	left := whole
	s.Work = &left
	facts, err := judgeSource(s, typ)
	word, _ := ruling(facts, err)
	return filetype.Account{Unfolded: whole.Unfolded - left.Unfolded, Sampled: whole.Sampled - left.Sampled,
		Lexed: whole.Lexed - left.Lexed, Named: whole.Named - left.Named, Scanned: whole.Scanned - left.Scanned,
		Matched: whole.Matched - left.Matched}, word
}

// TestOneAccount checks that thousands of documents in one file cost no more
// than one inspection may, and that the rest is held.
func TestOneAccount(t *testing.T) {
	header, body := objectStream(20, "(a)"+strings.Repeat(" ", 4*filetype.MiB))
	unfolding := string(rawPDF("1 0 obj\n"+pdfCatalog+"\nendobj\n2 0 obj\n<</Type/Pages/Count 1>>\nendobj\n",
		strings.Repeat("10 0 obj\n"+header+"\nstream\n"+body+"\nendstream\nendobj\n", 2)))
	lexing := string(rawPDF("1 0 obj\n"+pdfCatalog+"\nendobj\n", strings.Repeat("3 0 obj<<", 1500)))
	many := func(n int, name, data string) []byte {
		var members []member
		for i := range n {
			members = append(members, member{name: fmt.Sprintf(name, i), data: data, store: true})
		}
		return zipFile(members...)
	}
	tight := filetype.Account{Unfolded: 64 * filetype.MiB, Sampled: filetype.MiB, Lexed: 4 * filetype.MiB,
		Named: filetype.MiB, Scanned: 4 * filetype.MiB, Matched: filetype.MiB}
	const prices = 16 * filetype.MiB // for what has begun when nothing is left
	for _, c := range []struct {
		what  string
		data  []byte
		whole filetype.Account
		used  func(filetype.Account) filetype.Allowance
	}{
		{"object streams", many(2000, "%d.pdf", unfolding), *filetype.NewAccount(),
			func(a filetype.Account) filetype.Allowance { return a.Unfolded }},
		{"object streams, nested", many(3, "%d.zip", string(many(700, "%d.pdf", unfolding))), tight,
			func(a filetype.Account) filetype.Allowance { return a.Unfolded }},
		{"dictionaries", many(2000, "%d.pdf", lexing), tight,
			func(a filetype.Account) filetype.Allowance { return a.Lexed }},
		{"rtf", many(40, "%d.rtf", `{\rtf1 `+strings.Repeat("text ", filetype.MiB/5)), tight,
			func(a filetype.Account) filetype.Allowance { return a.Scanned }},
	} {
		all, word := expended("zip", c.data, c.whole)
		if n, most := c.used(all), c.used(c.whole); n < most || n > most+prices {
			t.Errorf("%s: spent %d MiB, want %d", c.what, n/filetype.MiB, most/filetype.MiB)
		}
		if word != "held "+filetype.HoldNotFullyInspected {
			t.Errorf("%s: %s, want it held", c.what, word)
		}
	}
}

// TestAccountOfOne checks that one document of a kind stays within its share.
func TestAccountOfOne(t *testing.T) {
	for _, f := range append(goodFiles(), smallArchives()...) {
		all, word := expended(f.ext, f.data, *filetype.NewAccount())
		if word == "live" && (all.Unfolded > 64*filetype.MiB || all.Sampled > 64*filetype.MiB ||
			all.Lexed > filetype.MiB || all.Scanned > 64*filetype.MiB) {
			t.Errorf("%s (%s): spent %+v", f.what, f.ext, all)
		}
	}
}

// TestHostileText checks that texts that made the search slow get the same
// result in linear time: each text fills a chunk.
func TestHostileText(t *testing.T) {
	cell := "=cmd|' /c calc'!A1"
	for _, c := range []struct{ ext, data, want string }{
		{"csv", strings.Repeat("=cmd|", 20_000) + "\n" + cell + "\n", "held " + filetype.HoldCommandFormula},
		{"csv", strings.Repeat("=cmd|", 20_000) + "\n", "live"},
		{"csv", strings.Repeat("cmd|", 20_000) + "!", "live"},
		{"html", strings.Repeat("UEsDB!", 50_000) + "<input type=password>", "held " + filetype.HoldPasswordForm},
		{"html", strings.Repeat("<meta content=// refresh ", 300_000), "held " + filetype.HoldNotFullyInspected},
	} {
		facts, err := inspectBytes(t, c.ext, []byte(c.data))
		if got, _ := ruling(facts, err); got != c.want {
			t.Errorf("%.30q (%s): %s, want %s", c.data, c.ext, got, c.want)
		}
	}
}
