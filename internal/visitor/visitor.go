// Package visitor turns what a request says about its sender into labels for
// the report: country, referrer, source, device, browser, OS, why it is not a
// person if it is not, and an opaque viewer id.
//
// Everything here is a function of its arguments alone: no I/O, no clock, no
// logging. Safe for concurrent use, and for hostile input of any length: what
// is kept of requests is a cache of fixed size.
//
// Countries that the caller does not know are those of IP2Location LITE
// (http://www.ip2location.com), embedded through github.com/phuslu/iploc.
package visitor

import (
	"net/netip"
	"net/url"
)

// Request is what Classify reads of a request. The zero value of a member means
// that the request did not say.
type Request struct {
	UserAgent string
	Referrer  string     // the Referer header
	Addr      netip.Addr // of the client, as ClientAddr tells it
	Query     url.Values // of the requested page: qr, utm_source and the other utm parameters
	OwnHost   string     // the instance's own public host, with or without port: a referrer from there is none

	// Country and City are where Addr is, as a city file tells. Without a
	// country the embedded table is asked for it.
	Country, City string

	SecCHUA string // Sec-CH-UA: the brands of a Chromium browser

	SecPurpose, Purpose, XPurpose, XMoz string // the headers of Speculative
}

// Visitor is what a request says about its sender. "" means unknown in every
// member but Source, which always has a value, and Bot, where it means a
// person.
type Visitor struct {
	Country  string // ISO 3166-1 alpha-2
	City     string // of a city file: the embedded table knows countries only
	Referrer string // the referring host without "www."
	Source   string // contract, "sources"
	Campaign string // utm_campaign, and so on
	Medium   string
	Content  string
	Term     string
	Device   string // contract, "devices"
	Browser  string
	OS       string
	Bot      string // one of the Bot reasons
	Product  string // the name of the program, where Bot is set and a name is given; never of a person
	QR       bool   // came by the QR code (qr=1)
}

// Classify labels a request. What the user agent says of bots goes before the
// reason that the load is speculative.
func Classify(r Request) Visitor {
	a := agents.lookup(r.UserAgent)
	v := Visitor{
		Country:  r.Country,
		City:     r.City,
		Referrer: referrer(r.Referrer, r.OwnHost),
		Device:   a.device,
		Browser:  brand(r.SecCHUA, a.browser),
		OS:       a.os,
		Bot:      a.bot,
		Product:  a.product,
		QR:       r.Query.Get("qr") == "1",
	}
	if v.Country == "" {
		v.Country, v.City = country(r.Addr), ""
	}
	v.Source = source(r.Query, v.Referrer, v.QR)
	v.Campaign, v.Medium = campaignLabel(r.Query, "utm_campaign"), campaignLabel(r.Query, "utm_medium")
	v.Content, v.Term = campaignLabel(r.Query, "utm_content"), campaignLabel(r.Query, "utm_term")
	switch {
	case v.Bot != "":
	case headlessBrand(r.SecCHUA):
		v.Bot = BotHeadless
	case Speculative(r.SecPurpose, r.Purpose, r.XPurpose, r.XMoz):
		v.Bot = BotSpeculative
	}
	return v
}
