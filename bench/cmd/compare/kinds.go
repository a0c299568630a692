package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
)

// kind is a kind of request.
type kind struct {
	name string
	n    int // requests of a round
	ask  func(p *program) error

	most int                            // requests that an account may make in an hour; 0 means any number
	has  func(p *program) (bool, error) // whether the program does what the kind asks for; nil means that it does if it answers
}

// kinds are measured in this order.
var kinds = []kind{
	{name: "page of a link", n: 300, ask: func(p *program) error { return p.get("/p/"+p.slug, nil) }},
	{name: "beacon", n: 300, ask: sendBeacon},
	{name: "upload of a text, three steps", n: 30, ask: func(p *program) error { _, err := p.publish(); return err },
		most: 180},
	{name: "download from a page", n: 100, ask: download},
	api("list of links", 100, "/links?limit=50"),
	api("report of a link, 90d", 60, "/links/compare-0-0/analytics?range=90d"),
	api("report of an account, 30d", 40, "/analytics?range=30d"),
	api("report of an account, all", 40, "/analytics?range=all"),
	filtered(api("report of an account, one country", 5, "/analytics?range=all&filter=country:is:DE")),
	page("app: dashboard", 40, "/dashboard"),
	page("app: links", 20, "/links"),
	page("app: analytics", 10, "/analytics"),
	page("app: report of a link", 10, "/links/compare-0-0/analytics"),
	{name: "docs", n: 40, ask: func(p *program) error { return p.get("/docs", nil) }},
	{name: "front page", n: 60, ask: func(p *program) error { return p.get("/", nil) }},
}

// rounds returns how many rounds of how many requests are asked, so that they,
// and one round more, stay below the limit of an account.
func (k kind) rounds(wanted int) (rounds, n int) {
	if k.most == 0 {
		return wanted, k.n
	}
	n = max(1, min(k.n, k.most/(wanted+1)))
	return min(wanted, k.most/n-1), n
}

func (p *program) get(path string, headers map[string]string) error {
	_, err := p.ask(http.MethodGet, path, "", headers)
	return err
}

func api(name string, n int, path string) kind {
	return kind{name: name, n: n, ask: func(p *program) error {
		return p.get("/api/v1"+path, map[string]string{"Authorization": "Bearer " + p.key})
	}}
}

func page(name string, n int, path string) kind {
	return kind{name: name, n: n, ask: func(p *program) error {
		return p.get(path, map[string]string{"Cookie": p.cookie})
	}}
}

// filtered adds to a report the question whether the program filters it: an
// early one ignores the parameter.
func filtered(k kind) kind {
	k.has = func(p *program) (bool, error) {
		var views [2]int64
		for i, query := range []string{"", "&filter=country:is:DE"} {
			out, err := p.ask(http.MethodGet, "/api/v1/analytics?range=all"+query, "",
				map[string]string{"Authorization": "Bearer " + p.key})
			var report struct{ Totals struct{ Views int64 } }
			if err = cmp.Or(err, json.Unmarshal(out, &report)); err != nil {
				return false, err
			}
			views[i] = report.Totals.Views
		}
		return views[1] < views[0], nil
	}
	return k
}

// missing asks a kind of both programs, so that both have what they keep after
// the first request. It says which of them does not have it: then their costs
// do not compare.
func (k kind) missing(programs [2]*program) (string, error) {
	for i, p := range programs {
		which := []string{"the commit", "this tree"}[i]
		if k.has != nil {
			if has, err := k.has(p); err != nil || !has {
				return which + " does something else", err
			}
		}
		for range 3 {
			err := k.ask(p)
			if s := new(statusError); errors.As(err, &s) && s.status < 500 {
				return which + ": " + s.text, nil
			}
			if err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

var beaconAddress = regexp.MustCompile(`data-beacon="([^"]+)"`)

// open loads the page of the published text once, for the address of its
// beacons.
func (p *program) open() error {
	if p.beacon != "" {
		return nil
	}
	out, err := p.ask(http.MethodGet, "/p/"+p.slug, "", nil)
	if err != nil {
		return err
	}
	m := beaconAddress.FindSubmatch(out)
	if m == nil {
		return errors.New("the page has no beacon address")
	}
	p.beacon = html.UnescapeString(string(m[1]))
	return nil
}

// download asks for the file with the token of a view, as the page does: every
// program counts such a download, and not every one counts others.
func download(p *program) error {
	if err := p.open(); err != nil {
		return err
	}
	return p.get(strings.Replace(p.beacon, "/beacon?", "/download?", 1), nil)
}

// sendBeacon sends the beacons of one view, each with more than the last one.
func sendBeacon(p *program) error {
	if err := p.open(); err != nil {
		return err
	}
	p.sent++
	body := fmt.Sprintf(`{"engaged":%d,"present":%d,"width":1280,"depth":%d}`, p.sent, p.sent+500, min(100, p.sent/10))
	_, err := p.ask(http.MethodPost, p.beacon, body, map[string]string{"Content-Type": "text/plain;charset=UTF-8"})
	return err
}
