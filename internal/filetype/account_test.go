package filetype

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// expended inspects a file with all that an account has, and gives what of it was spent.
func expended(ext string, data []byte, whole account) (account, string) {
	typ, _ := ByExt("." + ext)
	s := newSource(bytes.NewReader(data), int64(len(data)))
	left := whole
	s.work = &left
	facts, err := judgeSource(s, typ)
	word, _ := ruling(facts, err)
	return account{unfolded: whole.unfolded - left.unfolded, sampled: whole.sampled - left.sampled, lexed: whole.lexed - left.lexed, named: whole.named - left.named, scanned: whole.scanned - left.scanned, matched: whole.matched - left.matched}, word
}

// Thousands of documents within one file cost no more than one inspection may, and what is left of them is held.
func TestOneAccount(t *testing.T) {
	header, body := objectStream(20, "(a)"+strings.Repeat(" ", 4*mib))
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
	tight := account{unfolded: 64 * mib, sampled: mib, lexed: 4 * mib, named: mib, scanned: 4 * mib, matched: mib}
	const prices = 16 * mib // for what is begun when nothing is left
	for _, c := range []struct {
		what  string
		data  []byte
		whole account
		used  func(account) allowance
	}{
		{"object streams", many(2000, "%d.pdf", unfolding), *newAccount(), func(a account) allowance { return a.unfolded }},
		{"object streams, nested", many(3, "%d.zip", string(many(700, "%d.pdf", unfolding))), tight, func(a account) allowance { return a.unfolded }},
		{"dictionaries", many(2000, "%d.pdf", lexing), tight, func(a account) allowance { return a.lexed }},
		{"rtf", many(40, "%d.rtf", `{\rtf1 `+strings.Repeat("text ", mib/5)), tight, func(a account) allowance { return a.scanned }},
	} {
		all, word := expended("zip", c.data, c.whole)
		if n, most := c.used(all), c.used(c.whole); n < most || n > most+prices {
			t.Errorf("%s: spent %d MiB of %d", c.what, n/mib, most/mib)
		}
		if word != "held "+HoldNotFullyInspected {
			t.Errorf("%s: %s", c.what, word)
		}
	}
}

// One document of a kind stays within its share.
func TestAccountOfOne(t *testing.T) {
	for _, f := range append(goodFiles(), smallArchives()...) {
		all, word := expended(f.ext, f.data, *newAccount())
		if word == "live" && (all.unfolded > 64*mib || all.sampled > 64*mib || all.lexed > mib || all.scanned > 64*mib) {
			t.Errorf("%s (%s): %+v", f.what, f.ext, all)
		}
	}
}

// What made the search slow is found as before, and linear in its input: each hostile text of a chunk is worked through once.
func TestHostileText(t *testing.T) {
	cell := "=cmd|' /c calc'!A1"
	for _, c := range []struct{ ext, data, want string }{
		{"csv", strings.Repeat("=cmd|", 20_000) + "\n" + cell + "\n", "held " + HoldCommandFormula},
		{"csv", strings.Repeat("=cmd|", 20_000) + "\n", "live"},
		{"csv", strings.Repeat("cmd|", 20_000) + "!", "live"},
		{"html", strings.Repeat("UEsDB!", 50_000) + "<input type=password>", "held " + HoldPasswordForm},
		{"html", strings.Repeat("<meta content=// refresh ", 300_000), "held " + HoldNotFullyInspected},
	} {
		facts, err := inspectBytes(t, c.ext, []byte(c.data))
		if got, _ := ruling(facts, err); got != c.want {
			t.Errorf("%.30q (%s): got %s, want %s", c.data, c.ext, got, c.want)
		}
	}
}
