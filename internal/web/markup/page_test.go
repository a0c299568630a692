package markup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/vitrinetest"
	"vitrine/report/part"
)

func outlineOf(page string) part.Outline {
	return Page(strings.NewReader(page), func(b []byte) string { return string(b) })
}

// TestPage checks which sections a web page has, and where their headings are.
func TestPage(t *testing.T) {
	many := func(n int, level int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<h%d class=x>H%d</h%d><p>text", level, i, level)
		}
		return b.String()
	}
	words := strings.Repeat("word ", 500)
	for name, c := range map[string]struct {
		page string
		want []string // labels and words
	}{
		"none":      {"<p>only text", nil},
		"fifths":    {"<p>" + words, []string{"First fifth 100", "Second fifth 100", "Third fifth 100", "Fourth fifth 100", "Last fifth 100"}},
		"one":       {"<h1>Title</h1>text", nil},
		"beginning": {"<title>No</title>Hello there<h2>One</h2>two words", []string{"Beginning 2", "One 2"}},
		"title":     {"<!doctype html><h1>Title</h1><h2>One</h2>a b c<h2>Two</h2>d", []string{"One 3", "Two 1"}},
		"nested":    {"<h1>A</h1>a<section><h3>B</h3>b</section><h6>C</h6>c<H1 id='x'>D</H1>d", []string{"A 1", "B 1", "C 1", "D 1"}},
		"inner": {"<h2>A</h2>a<table><td><h2>B</h2></table><ul><li><h2>C</h2></ul><blockquote><h2>E</h2></blockquote>" +
			"<details><h2>F</h2></details><h2>D</h2>d", []string{"A 5", "D 1"}},
		"unseen": {"<h2>A</h2>a<script>'<h2>B</h2>'</script><style>h2{}</style><template><h2>C</h2></template>" +
			"<noscript><h2>E</h2></noscript><svg><text>no</text></svg><textarea><h2>F</h2></textarea>" +
			"<!-- <h2>G</h2> --><h2>D</h2>d", []string{"A 1", "D 1"}},
		"marks":         {"<h2><a href=#a>#</a> A &amp; <b>b</b>\n</h2>a<h2>D</h2>d", []string{"# A & b 1", "D 1"}},
		"unclosed":      {"<h2>A<h2>B</h2>b<h2>C</h2>c<h2>D", []string{"B 1", "C 1", "D 0"}},
		"all titles":    {"<h2>" + words + "<h2>B</h2>b", []string{strings.Repeat("word ", 15) + "word… 420", "B 1"}},
		"ends in a tag": {"<h2>A</h2>a<h2>B</h2>b<h2", []string{"A 1", "B 1"}},
	} {
		var got []string
		o := outlineOf(c.page)
		for i, p := range o.Parts() {
			got = append(got, fmt.Sprint(p.Label, " ", p.Words))
			if tag := c.page[:p.At]; p.At > 0 && !strings.HasPrefix(strings.ToLower(tag[len(tag)-3:]), "<h") {
				t.Errorf("%s: the place of part %d is behind %q", name, i+1, tag)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: sections %q, want %q", name, got, c.want)
		}
	}
	if parts := outlineOf(many(5000, 2)).Parts(); len(parts) != part.MaxSections || parts[99].Words != 4901 {
		t.Errorf("of 5,000 headings: %d sections, the last one: %+v", len(parts), parts[len(parts)-1])
	}
	if parts := outlineOf(many(50, 1) + many(60, 2)).Parts(); len(parts) != 50 {
		t.Errorf("of 50 headings and 60 below: %d sections", len(parts))
	}
	if o := outlineOf(strings.Repeat("<h1", 1_000_000) + strings.Repeat("<b>", 1_000_000)); o != "" {
		t.Errorf("of tags that do not end: %.80q", o)
	}
}

// TestHostilePages checks the outlines of broken pages: bounded, and each place
// is behind the name of a heading.
func TestHostilePages(t *testing.T) {
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 1))
	bits := []string{"<h1>", "<h2 ", "</h2>", "<h3/>", "<h4\n>", "<script>", "</script>", "<!--", "-->", "<svg>", "</svg>",
		"<![CDATA[", "]]>", "<ul>", "<", ">", "text ", "é ", "\x00", "\xff", "&amp;", "\"", "<plaintext>", "<title>", "<select>",
		"<template>", "</template>", "<math>", "</", "=", "'"}
	for range 5_000 {
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString(bits[r.IntN(len(bits))])
		}
		page, before := b.String(), int64(0)
		o := outlineOf(page)
		if len(o) > 16<<10 || o.Len() > part.MaxSections {
			t.Fatalf("%q: %d bytes", page, len(o))
		}
		for _, p := range o.Parts() {
			if p.At == 0 {
				continue
			}
			if tag := page[p.At-3 : p.At]; p.At <= before || tag[:2] != "<h" || tag[2] < '1' || tag[2] > '6' {
				t.Fatalf("%q: a place behind %q", page, tag)
			}
			before = p.At
		}
	}
}
