// Package visitor turns the sender of a request into labels for the report:
// country, referrer, source, device, browser, OS, the reason if it is not a
// person, and an opaque viewer ID.
//
// All functions depend only on their arguments: no I/O, no clock, no logging.
// They are safe for concurrent use, and for hostile input of any length: the
// only state is a cache of fixed size.
//
// If the caller does not know the country, it comes from embedded tables.
package visitor

import (
	"net/netip"
	"net/url"

	"vitrine/report"
)

// Request is the input of Classify. The zero value of a member means that the
// request did not contain it.
type Request struct {
	UserAgent string
	Referrer  string     // the Referer header
	Addr      netip.Addr // of the client, as ClientAddr returns it
	Query     url.Values // of the requested page: qr, utm_source and the other utm parameters
	OwnHost   string     // the instance's own public host, with or without port; it is not a referrer

	// Country and City are the place of Addr from a city file. If Country is
	// "", Classify uses the country of the embedded tables.
	Country, City string

	SecCHUA string // Sec-CH-UA: the brands of a Chromium browser

	SecPurpose, Purpose, XPurpose, XMoz string // the headers of Speculative

	SecFetchDest string // Sec-Fetch-Dest: what a browser loads the page as
}

// Visitor is the labels of a request's sender. "" means unknown in every member
// except Source, which always has a value, and Bot, where it means a person.
type Visitor struct {
	Country  string // ISO 3166-1 alpha-2
	City     string // from a city file: the embedded tables have only countries
	Referrer string // the referring host without "www."
	Source   string // (contract, Sources)
	Campaign string // utm_campaign, and so on
	Medium   string
	Content  string
	Term     string
	Device   string // (contract, Devices)
	Browser  string
	OS       string
	Bot      string // one of the Bot reasons
	Product  string // the name of the program, if Bot is set and a name is known; never of a person
	QR       bool   // came by the QR code (qr=1)
}

// Classify labels a request. A bot reason from the user agent takes precedence
// over report.BotSpeculative.
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
	v.Campaign, v.Medium = campaignLabel(r.Query.Get("utm_campaign")), campaignLabel(r.Query.Get("utm_medium"))
	v.Content, v.Term = campaignLabel(r.Query.Get("utm_content")), campaignLabel(r.Query.Get("utm_term"))
	switch {
	case v.Bot != "":
	case headlessBrand(r.SecCHUA):
		v.Bot = report.BotHeadless
	case Speculative(r.SecPurpose, r.Purpose, r.XPurpose, r.XMoz):
		v.Bot = report.BotSpeculative
	case !navigates(r.SecFetchDest):
		v.Bot = report.BotNotShown
	}
	return v
}
