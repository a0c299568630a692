package web

import (
	"fmt"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/agent"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/app/eventpage"
	"vitrine/internal/web/app/reportpage"
	"vitrine/internal/web/content"
	"vitrine/internal/web/front"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/moderator"
	"vitrine/internal/web/public"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// handlers holds the surfaces of the server, and what they share.
type handlers struct {
	gallery bool // the page of all components is served
	server  *httpx.Server
	pages   *ui.Pages
	viewers *viewer.Viewers
	shell   *app.Shell

	api        *api.Handler
	agents     *agent.Handler
	public     *public.Handler
	content    *content.Handler
	front      *front.Handler
	entry      *app.EntryPages
	upload     *app.UploadPages
	links      *app.LinkPages
	versions   *app.VersionPages
	keys       *app.KeyPages
	webhooks   *eventpage.WebhookPages
	account    *app.AccountPages
	mails      *app.MailPages
	events     *eventpage.EventPages
	people     *app.PeoplePages
	albums     *app.AlbumPages
	websites   *app.WebsitePages
	analytics  *reportpage.Handler
	moderation *moderator.Handler
}

func (s *Server) handlers() *handlers {
	h := &handlers{gallery: s.Gallery}
	s.LogAccounts(s.Log)
	h.server = &httpx.Server{PublicURL: s.PublicURL, ContentURL: s.ContentURL, SitesURL: s.SitesURL,
		StorageOrigin: s.StorageOrigin, UpgradeURL: s.UpgradeURL, TrustedProxies: s.TrustedProxies, Cities: s.Cities,
		Sessions: s.Sessions, Now: s.Now, Log: s.Log, BodyTime: s.BodyTime, StallTime: s.StallTime,
		RecheckEvery: s.RecheckEvery, Meter: s.Meter}
	h.pages = &ui.Pages{Server: h.server, Log: s.Log, Scanned: s.Uploads.Scanner.Name() != publish.NoScanner{}.Name()}
	h.viewers = &viewer.Viewers{Server: h.server, Blobs: s.Blobs, Previews: s.Previews, Signer: s.Signer, Now: s.Now,
		Gates: s.Gates, Log: s.Log, StorageTime: s.StorageTime}
	h.shell = &app.Shell{Server: h.server, Pages: h.pages, Viewers: h.viewers, Sessions: s.Sessions,
		Moderation: s.Moderation, Analytics: s.Analytics, Recipients: s.Recipients, Notices: s.Notices,
		SendsMail: s.Notify.SendsMail, Now: s.Now}

	h.content = &content.Handler{Server: h.server, Pages: h.pages, Viewers: h.viewers, Blobs: s.Blobs,
		Signer: s.Signer, Links: s.Links, Sites: s.Sites, SiteStats: s.SiteStats, Abuse: s.Abuse, Now: s.Now,
		Log: s.Log}
	h.api = &api.Handler{Server: h.server, Viewers: h.viewers, Content: h.content, Signer: s.Signer, Keys: s.Keys,
		Logins: s.Logins, Grants: s.Grants, Uploads: s.Uploads, Links: s.Links, Versions: s.Versions,
		Recipients: s.Recipients, Sites: s.Sites, Captions: s.Captions, EventLog: s.Events, Webhooks: s.Webhooks,
		Notify: s.Notify, Analytics: s.Analytics, Receiver: s.Receiver, Ready: s.Ready, Version: s.Version, Now: s.Now,
		Log: s.Log}
	h.public = &public.Handler{Server: h.server, Pages: h.pages, Viewers: h.viewers, Blobs: s.Blobs, Signer: s.Signer,
		Links: s.Links, Albums: s.Albums, Sites: s.Sites, Abuse: s.Abuse, Views: s.Views, ViewIDs: s.ViewIDs,
		RedirectDownloads: s.RedirectDownloads, Now: s.Now, Log: s.Log}
	h.front = &front.Handler{Server: h.server, Pages: h.pages, Accounts: s.Accounts, Uploads: s.Uploads,
		Bucket: s.Receiver == nil, SecurityContact: s.SecurityContact, Now: s.Now}
	h.moderation = &moderator.Handler{Server: h.server, Viewers: h.viewers, Shell: h.shell,
		Moderation: s.Moderation, Accounts: s.Accounts, Links: s.Links, Sites: s.Sites}
	h.analytics = &reportpage.Handler{Server: h.server, Pages: h.pages, Viewers: h.viewers, Shell: h.shell, API: h.api,
		Analytics: s.Analytics, Links: s.Links, Versions: s.Versions, Recipients: s.Recipients, Albums: s.Albums,
		Sites: s.Sites, SiteStats: s.SiteStats, Shared: s.Shared, OwnViews: s.OwnViews, Now: s.Now}
	at := h.server
	s.Grants.Issuer, s.Grants.Resource = at.PublicURL.String(), at.PublicURL.String()+httpx.AgentPath
	s.Webhooks.Addresses = events.Addresses{Link: at.LinkURL, Site: at.SiteURL}
	s.Webhooks.Report = func(slug vitrine.Slug) string {
		return fmt.Sprintf("%s/links/%s/analytics", at.PublicURL, slug)
	}
	s.Webhooks.Manage = func(id vitrine.WebhookID) string { return fmt.Sprintf("%s/webhooks/%d", at.PublicURL, id) }
	s.app(h)
	return h
}

// app makes the pages of the app.
func (s *Server) app(h *handlers) {
	h.entry = &app.EntryPages{Server: h.server, Pages: h.pages, Sessions: s.Sessions, Accounts: s.Accounts,
		Logins: s.Logins, Grants: s.Grants, Providers: s.Providers, SetupCommand: s.SetupCommand,
		Now: s.Now, Log: s.Log}
	h.upload = &app.UploadPages{Server: h.server, Viewers: h.viewers, Shell: h.shell, API: h.api,
		Uploads: s.Uploads, Previews: s.Previews,
		Links: s.Links, Sites: s.Sites, Recipients: s.Recipients, Analytics: s.Analytics, Now: s.Now,
		Sample: front.Sample}
	h.links = &app.LinkPages{Server: h.server, Viewers: h.viewers, Shell: h.shell, Links: s.Links, Uploads: s.Uploads,
		Captions: s.Captions, Recipients: s.Recipients, Albums: s.Albums, Sites: s.Sites, Analytics: s.Analytics,
		Now: s.Now}
	h.versions = &app.VersionPages{Server: h.server, Shell: h.shell, Versions: s.Versions, Uploads: s.Uploads}
	h.keys = &app.KeyPages{Server: h.server, Shell: h.shell, Keys: s.Keys, Now: s.Now}
	h.webhooks = &eventpage.WebhookPages{Shell: h.shell, Webhooks: s.Webhooks}
	h.account = &app.AccountPages{Server: h.server, Pages: h.pages, Viewers: h.viewers, Shell: h.shell,
		Sessions: s.Sessions, Accounts: s.Accounts, Links: s.Links, Uploads: s.Uploads, Analytics: s.Analytics,
		Events: s.Events, SiteStats: s.SiteStats, Providers: s.Providers, Notices: s.Notices, Now: s.Now, Log: s.Log}
	h.mails = &app.MailPages{Pages: h.pages, Notify: s.Notify}
	h.events = &eventpage.EventPages{Server: h.server, Shell: h.shell, Events: s.Events, Notify: s.Notify}
	h.people = &app.PeoplePages{Server: h.server, Shell: h.shell, Accounts: s.Accounts}
	h.albums = &app.AlbumPages{Server: h.server, Viewers: h.viewers, Shell: h.shell, Albums: s.Albums, Links: s.Links,
		Analytics: s.Analytics}
	h.websites = &app.WebsitePages{Server: h.server, API: h.api, Shell: h.shell, Content: h.content, Sites: s.Sites,
		Uploads: s.Uploads}
}
