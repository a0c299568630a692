package links_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/test/vitrinetest"
)

// TestLabelBounds checks what is a label and how many a link may have.
func TestLabelBounds(t *testing.T) {
	long := strings.Repeat("ä", links.MaxLabel)
	var many []string
	for n := range links.MaxLabels + 1 {
		many = append(many, fmt.Sprint("label ", n))
	}
	for _, c := range []struct {
		list []string
		want string // "" for an error
	}{
		{[]string{"Sales", "client A", "sales"}, "client A|Sales"}, {[]string{"  a   b "}, "a b"}, {[]string{long}, long},
		{many[:links.MaxLabels], strings.Join(many[:links.MaxLabels], "|")}, {many, ""}, {[]string{long + "ä"}, ""},
		{[]string{""}, ""}, {[]string{"\u200b"}, ""}, {[]string{"a\nb"}, ""}, {[]string{"a,b"}, ""}, {[]string{"\u202ea"}, ""},
	} {
		l, err := links.ParseLabels(c.list)
		if got := strings.Join(l.All(), "|"); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("labels of %q = %q, %v, want %q", c.list, got, err, c.want)
		}
	}
}

// TestLabels adds and removes labels, and finds links by them, in any case and
// as whole labels.
func TestLabels(t *testing.T) { onEach(t, testLabels) }

func testLabels(t *testing.T, v *versioned) {
	edit := func(l *vitrine.Link, e links.Edit) {
		t.Helper()
		_, err := v.Links.Edit(t.Context(), v.Account, string(l.Slug), e)
		v.Must(err)
	}
	found := func(label string, want ...*vitrine.Link) {
		t.Helper()
		list, _, err := v.Links.Search(t.Context(), v.Account,
			links.LinkSearch{Label: label, Sort: vitrine.SortOldest, Limit: 9})
		v.Must(err)
		var got, wanted []vitrine.LinkID
		for _, l := range list {
			got = append(got, l.ID)
		}
		for _, l := range want {
			wanted = append(wanted, l.ID)
		}
		vitrinetest.Equal(t, "links with "+label, got, wanted)
	}
	all := func(want ...string) {
		t.Helper()
		got, err := v.Links.Labels(t.Context(), v.Account)
		v.Must(err)
		vitrinetest.Equal(t, "labels", got, want)
	}
	a, b := v.link, v.Note("another")
	two, err := links.ParseLabels([]string{"Client A", "50%_off"})
	v.Must(err)
	edit(a, links.Edit{Labels: &two})
	edit(b, links.Edit{AddLabel: "client a"})
	edit(b, links.Edit{AddLabel: "Élan"})
	all("50%_off", "Client A", "Élan")
	found("CLIENT A", a, b)
	found("client", nil...)
	found("50%_off", a)
	found("50x_off", nil...)
	found("élan", b)
	edit(b, links.Edit{DropLabel: "Client A"})
	found("client a", a)
	v.link = a
	v.byOwner()
	all("Élan")
	l, err := v.Links.Revive(t.Context(), v.Account, string(a.Slug), nil)
	v.Must(err)
	vitrinetest.Equal(t, "labels of a restored link", l.Labels, two)
	none := vitrine.Labels("")
	edit(a, links.Edit{Labels: &none})
	found("client a", nil...)
	_, err = v.Links.Edit(t.Context(), v.Account, string(b.Slug), links.Edit{AddLabel: strings.Repeat("x", 41)})
	if e, ok := err.(*vitrine.Error); !ok || e.Field != "labels" {
		t.Errorf("a label that is too long: %v, want an error of labels", err)
	}
}
