package main

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"regexp"
)

// kind is a kind of request.
type kind struct {
	name string
	n    int // requests of a round
	ask  func(p *program) error
}

// kinds are measured in this order.
var kinds = []kind{
	{"page of a link", 300, func(p *program) error { return p.get("/p/"+p.slug, nil) }},
	{"beacon", 300, sendBeacon},
	{"upload of a text, three steps", 30, func(p *program) error { _, err := p.publish(); return err }},
	{"download", 100, func(p *program) error { return p.get("/p/"+p.slug+"/download", nil) }},
	api("list of links", 100, "/links?limit=50"),
	api("report of a link, 90d", 60, "/links/compare-0-0/analytics?range=90d"),
	api("report of an account, 30d", 40, "/analytics?range=30d"),
	api("report of an account, all", 40, "/analytics?range=all"),
	api("report of an account, one country", 5, "/analytics?range=all&filter=country:is:DE"),
	page("app: dashboard", 40, "/dashboard"),
	page("app: links", 20, "/links"),
	page("app: analytics", 10, "/analytics"),
	page("app: report of a link", 10, "/links/compare-0-0/analytics"),
	{"docs", 40, func(p *program) error { return p.get("/docs", nil) }},
	{"front page", 60, func(p *program) error { return p.get("/", nil) }},
}

func (p *program) get(path string, headers map[string]string) error {
	_, err := p.ask(http.MethodGet, path, "", headers)
	return err
}

func api(name string, n int, path string) kind {
	return kind{name, n, func(p *program) error {
		return p.get("/api/v1"+path, map[string]string{"Authorization": "Bearer " + p.key})
	}}
}

func page(name string, n int, path string) kind {
	return kind{name, n, func(p *program) error { return p.get(path, map[string]string{"Cookie": p.cookie}) }}
}

// missing asks a kind of both programs, so that both have what they keep after
// the first request. It says which of them does not have it.
func (k kind) missing(programs [2]*program) (string, error) {
	for i, p := range programs {
		for range 3 {
			err := k.ask(p)
			if s := new(statusError); errors.As(err, &s) && s.status < 500 {
				return []string{"the commit: ", "this tree: "}[i] + s.text, nil
			}
			if err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

var beaconAddress = regexp.MustCompile(`data-beacon="([^"]+)"`)

// sendBeacon sends the beacons of one view, each with more than the last one.
func sendBeacon(p *program) error {
	if p.beacon == "" {
		out, err := p.ask(http.MethodGet, "/p/"+p.slug, "", nil)
		if err != nil {
			return err
		}
		m := beaconAddress.FindSubmatch(out)
		if m == nil {
			return errors.New("the page has no beacon address")
		}
		p.beacon = html.UnescapeString(string(m[1]))
	}
	p.sent++
	body := fmt.Sprintf(`{"engaged":%d,"present":%d,"width":1280,"depth":%d}`, p.sent, p.sent+500, min(100, p.sent/10))
	_, err := p.ask(http.MethodPost, p.beacon, body, map[string]string{"Content-Type": "text/plain;charset=UTF-8"})
	return err
}
