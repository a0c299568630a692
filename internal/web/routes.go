package web

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/app"
	"vitrine/internal/web/content"
	"vitrine/internal/web/front"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/public"
	"vitrine/internal/web/ui"
)

// routes registers every address of the server with its guard. A guard decides
// who may ask and how errors are shown.
func (h *handlers) routes(mux *http.ServeMux) {
	r := newRouter(mux, h)
	h.apiRoutes(r)
	h.openRoutes(r)
	h.oauthRoutes(r)
	h.frontRoutes(r)
	h.publicRoutes(r)
	h.contentRoutes(r)
	h.entryRoutes(r)
	h.linkRoutes(r)
	h.reportRoutes(r)
	h.collectionRoutes(r)
	h.accountRoutes(r)
	h.moderationRoutes(r)
	r.done()
}

// apiRoutes registers the API. Each route has the scope that its key needs.
func (h *handlers) apiRoutes(r *router) {
	r.key(vitrine.ScopePublish, "POST /api/v1/uploads", h.api.CreateUpload)
	r.key(vitrine.ScopePublish, "POST /api/v1/uploads/complete", h.api.CompleteUpload)
	r.key(vitrine.ScopePublish, "POST /api/v1/uploads/cancel", h.api.CancelUpload)
	r.key(vitrine.ScopeRead, "GET /api/v1/links", h.api.ListLinks)
	r.key(vitrine.ScopeRead, "GET /api/v1/links/{slug}", h.api.GetLink)
	r.key(vitrine.ScopePublish, "PATCH /api/v1/links/{slug}", h.api.UpdateLink)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/links/{slug}", h.api.DeleteLink)
	r.key(vitrine.ScopeRead, "GET /api/v1/trash", h.api.ListTrash)
	r.key(vitrine.ScopeFull, "POST /api/v1/trash/{slug}/restore", h.api.RestoreLink)
	r.key(vitrine.ScopeRead, "GET /api/v1/links/{slug}/file", h.api.GetFile)
	r.key(vitrine.ScopeRead, "GET /api/v1/links/{slug}/readers", h.api.ListReaders)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/links/{slug}/readers/{id}", h.api.DeleteReader)
	r.key(vitrine.ScopeRead, "GET /api/v1/links/{slug}/captions", h.api.ListCaptions)
	r.key(vitrine.ScopePublish, "PUT /api/v1/links/{slug}/captions/{language}", h.api.PutCaptions)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/links/{slug}/captions/{language}", h.api.DeleteCaptions)
	r.key(vitrine.ScopeRead, "GET /api/v1/links/{slug}/versions", h.api.ListVersions)
	r.key(vitrine.ScopePublish, "POST /api/v1/links/{slug}/versions/{version}/restore", h.api.RestoreVersion)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/links/{slug}/versions/{version}", h.api.DeleteVersion)
	r.key(vitrine.ScopeRead, "GET /api/v1/links/{slug}/recipients", h.api.ListRecipients)
	r.key(vitrine.ScopePublish, "POST /api/v1/links/{slug}/recipients", h.api.AddRecipients)
	r.key(vitrine.ScopePublish, "PATCH /api/v1/links/{slug}/recipients/{recipient}", h.api.UpdateRecipient)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/links/{slug}/recipients/{recipient}", h.api.RevokeRecipient)
	r.pro(vitrine.ScopeRead, "GET /api/v1/links/{slug}/notes", h.api.ListNotes)
	r.pro(vitrine.ScopePublish, "POST /api/v1/links/{slug}/notes", h.api.AddNote)
	r.pro(vitrine.ScopeFull, "DELETE /api/v1/links/{slug}/notes/{note}", h.api.DeleteNote)
	r.key(vitrine.ScopeRead, "GET /api/v1/websites", h.api.ListWebsites)
	r.pro(vitrine.ScopeRead, "GET /api/v1/links/{slug}/analytics", h.api.LinkAnalytics)
	r.pro(vitrine.ScopeRead, "GET /api/v1/links/{slug}/visits", h.api.Visits)
	r.pro(vitrine.ScopeRead, "GET /api/v1/links/{slug}/visits/{visit}", h.api.Visit)
	r.pro(vitrine.ScopeRead, "GET /api/v1/analytics", h.api.AccountAnalytics)
	r.key(vitrine.ScopeRead, "GET /api/v1/events", h.api.Events)
	r.key(vitrine.ScopeFull, "GET /api/v1/webhooks", h.api.ListWebhooks)
	r.key(vitrine.ScopeFull, "POST /api/v1/webhooks", h.api.CreateWebhook)
	r.key(vitrine.ScopeFull, "GET /api/v1/webhooks/{id}", h.api.GetWebhook)
	r.key(vitrine.ScopeFull, "PATCH /api/v1/webhooks/{id}", h.api.UpdateWebhook)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/webhooks/{id}", h.api.DeleteWebhook)
	r.key(vitrine.ScopeFull, "POST /api/v1/webhooks/{id}/test", h.api.TestWebhook)
	r.key(vitrine.ScopeFull, "POST /api/v1/webhooks/{id}/rotate", h.api.RotateWebhook)
	r.key(vitrine.ScopeFull, "GET /api/v1/webhooks/{id}/deliveries", h.api.ListDeliveries)
	r.key(vitrine.ScopeFull, "POST /api/v1/webhooks/{id}/deliveries/{delivery}/resend", h.api.ResendDelivery)
	r.key(vitrine.ScopeRead, "GET /api/v1/notifications", h.api.Notifications)
	r.key(vitrine.ScopeFull, "PATCH /api/v1/notifications", h.api.ChangeNotifications)
	r.key(vitrine.ScopeRead, "GET /api/v1/key", h.api.OwnKey)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/key", h.api.RevokeOwnKey)
	r.key(vitrine.ScopeFull, "GET /api/v1/keys", h.api.ListKeys)
	r.key(vitrine.ScopeFull, "POST /api/v1/keys", h.api.CreateKey)
	r.key(vitrine.ScopeFull, "DELETE /api/v1/keys/{id}", h.api.RevokeKey)

	// Each tool calls the routes above, whose scopes apply.
	r.key(vitrine.ScopeRead, "POST /mcp", h.agents.Serve)
}

// openRoutes registers what programs use without a key.
func (h *handlers) openRoutes(r *router) {
	r.json("GET /api/v1/status", h.api.Status)
	r.json("GET /api/v1/openapi.json", h.api.OpenAPI)
	r.json("POST /api/v1/logins", h.api.StartLogin)
	r.json("POST /api/v1/logins/take", h.api.TakeLogin)
	r.upload("PUT /storage/{key}", h.api.PutFile)
	r.upload("HEAD /storage/{key}", h.api.ReceivedBytes)
	r.upload("PATCH /storage/{key}", h.api.AppendBytes)
	r.upload("DELETE /storage/{key}", h.api.EndChunks)
	r.upload("POST /storage/{key}", h.api.OverriddenMethod)
	r.json("/api/v1/", h.api.NoOperation)
	r.plain("GET /healthz", h.api.Health)
	r.json("GET /readyz", h.api.Readiness)
}

// oauthRoutes registers how agents get a key by OAuth.
func (h *handlers) oauthRoutes(r *router) {
	const sent = httpx.SentHeaders + ", MCP-Protocol-Version"
	r.anyOrigin("GET /.well-known/oauth-protected-resource", sent, h.api.OAuthResource, nil)
	r.anyOrigin("GET /.well-known/oauth-protected-resource/mcp", sent, h.api.OAuthResource, nil)
	r.anyOrigin("GET /.well-known/oauth-authorization-server", sent, h.api.OAuthServer, nil)
	r.anyOrigin("POST /oauth/token", sent, h.api.OAuthToken, nil)
	r.anyOrigin("POST /oauth/register", sent, h.api.OAuthRegister, nil)
	r.member("GET /oauth/authorize", h.entry.ShowGrant)
	r.member("POST /oauth/authorize", h.entry.DecideGrant)
}

// frontRoutes registers the pages about Vitrine.
func (h *handlers) frontRoutes(r *router) {
	r.front("GET /{$}", h.entry.HomeOnceSetUp(h.front.Home))
	r.front("GET /plans", h.front.Plans)
	r.front("GET /docs", h.front.Doc)
	r.front("GET /docs/{page}", h.front.Doc)
	r.front("GET /docs/api/{page}", h.front.Doc)
	r.page("GET /docs.md", h.front.Doc)
	r.page("GET /llms.txt", h.front.LLMs)
	r.page("GET /skill.md", h.front.Skill)
	r.front("GET /docs/search", h.front.SearchDocs)
	r.front("GET /docs/albums-and-websites", front.MovedTo("/docs/websites"))
	r.page("GET /picture.png", h.front.SendFrontPicture)
	r.plain("GET /robots.txt", h.front.Robots)
	r.page("GET /.well-known/security.txt", h.front.SecurityText)
	r.page("GET /sitemap.xml", h.front.Sitemap)
	r.plain("GET /favicon.svg", ui.SendIcon)
	r.plain("GET /favicon.ico", ui.SendIcon)
	r.page("GET /assets/{path...}", ui.ServeAsset)
	r.page("/", ui.NoPage)
	if h.gallery {
		r.page("GET /dev/gallery", h.pages.Gallery)
	}
}

// publicRoutes registers the public pages of links and albums, and the requests
// that these send.
func (h *handlers) publicRoutes(r *router) {
	r.link("GET /p/{slug}", h.public.Show(public.OwnPage))
	r.link("GET /p/{slug}/{$}", h.public.Show(public.OwnPage)) // leads to the page
	r.link("GET /p/{slug}/embed", h.public.Show(public.Embedded))
	r.link("GET /p/{slug}/picture", h.viewers.SendPicture)
	r.link("GET /p/{slug}/download", h.public.EndWhenDisabled(h.public.Download))
	r.link("GET /p/{slug}/qr.svg", h.public.QrSVG)
	r.link("GET /p/{slug}/qr.png", h.public.QrPNG)
	r.form("POST /p/{slug}", h.public.OnGate())
	r.reported("GET /p/{slug}/report", h.public.ReportForm)
	r.reported("POST /p/{slug}/report", h.public.FileReport)
	r.json("POST /p/{slug}/beacon", h.public.Beacon)
	r.page("/p/{slug}/{recipient}", h.public.OnRecipient())                // any method: the beacon's path has more of them
	r.link("GET /p/{slug}/{recipient}/{$}", h.public.Show(public.OwnPage)) // leads to the page
	r.link("GET /p/{slug}/{recipient}/embed", h.public.Show(public.Embedded))
	r.link("GET /p/{slug}/{recipient}/picture", h.viewers.SendPicture)
	r.link("GET /p/{slug}/{recipient}/download", h.public.EndWhenDisabled(h.public.Download))
	r.link("GET /p/{slug}/{recipient}/qr.svg", h.public.QrSVG)
	r.link("GET /p/{slug}/{recipient}/qr.png", h.public.QrPNG)
	r.reported("GET /p/{slug}/{recipient}/report", h.public.ReportForm)
	r.plain("GET /oembed", h.public.Oembed)
	r.page("GET /a/{slug}", h.public.ShowAlbum)
	r.page("GET /a/{slug}/{$}", h.public.ShowAlbum) // leads to the page
	r.form("POST /a/{slug}", h.public.OnAlbumGate)
	r.page("GET /a/{slug}/download", h.public.DownloadAlbum)
	r.page("GET /report/website/{slug}", h.public.OnSite(h.public.SiteReportForm))
	r.form("POST /report/website/{slug}", h.public.OnSite(h.public.FileSiteReport))
}

// contentRoutes registers file bytes, viewer frames and websites, on the
// content origin.
func (h *handlers) contentRoutes(r *router) {
	r.page("GET /c/{token}/file", h.content.OnBytes(h.content.File))
	r.page("OPTIONS /c/{token}/file", content.FileOptions)
	r.page("GET /c/{token}/captions/{language}", h.content.OnBytes(h.content.Captions))
	r.page("GET /c/{token}/part/{part}", h.content.OnBytes(h.content.Part))
	r.page("OPTIONS /c/{token}/part/{part}", content.FileOptions)
	r.page("GET /c/{token}/rows/{table}", h.content.OnContent(h.content.Rows))
	r.page("GET /c/{token}/entry/{entry}", h.content.Entry())
	r.page("GET /c/{token}/entry/{entry}/view", h.content.EntryFrame())
	r.page("GET /c/{token}/entry/{entry}/bytes", h.content.EntryBytes())
	r.page("OPTIONS /c/{token}/entry/{entry}/bytes", content.FileOptions)
	r.page("GET /c/{token}/entry/{entry}/download", h.content.EntryFile())
	r.page("GET /c/{token}/preview", h.content.OnContent(h.content.Preview))
	r.page("GET /c/{token}/{frame}", h.content.Frame)
	r.page("GET /c/{token}/frame", h.content.OnContent(h.content.HTMLFrame))
	r.page("GET /c/{token}/examine", h.content.OnExamined(h.content.Examine))
	r.page("GET /c/{token}/source", h.content.OnExamined(h.content.Source))
	r.page("GET /c/{token}/copy", h.content.OnExamined(h.content.CopyOfFile))
	r.page("GET /c/{token}/original", h.content.OnOwned(h.content.CopyOfFile))
	r.page("GET /c/{token}/site/{path...}", h.content.OnExamined(h.content.ExamineSite))
	r.page("/s/{slug}", h.content.SiteFolder)
	r.plain("/s/{slug}/{path...}", h.content.SiteBelowContent)
}

// entryRoutes registers the pages for signing in and creating accounts.
func (h *handlers) entryRoutes(r *router) {
	r.page("GET /login", front.MovedTo("/sign-in")) // as people type it
	r.page("GET /signup", front.MovedTo("/sign-up"))
	r.entry("GET /sign-in", h.entry.ShowSignIn)
	r.entry("POST /sign-in", h.entry.TakeSignIn)
	r.entry("GET /two-step", h.entry.ShowCode)
	r.entry("POST /two-step", h.entry.TakeCode)
	r.app("GET /sign-in/{token}", h.entry.Offer)
	r.app("POST /sign-in/{token}", h.entry.SignIn)
	r.entry("GET /sign-in/with/{provider}", h.entry.StartProvider)
	r.entry("GET /sign-in/from/{provider}", h.entry.FromProvider)
	r.app("POST /sign-out", h.entry.SignOut)
	r.entry("GET /sign-up", h.entry.ShowSignUp)
	r.entry("POST /sign-up", h.entry.TakeSignUp)
	r.entry("GET /sign-up/{token}", h.entry.ShowAccept)
	r.entry("POST /sign-up/{token}", h.entry.TakeAccept)
	r.entry("GET /reset", h.entry.ShowReset)
	r.entry("POST /reset", h.entry.TakeReset)
	r.entry("GET /password/{token}", h.entry.ShowPassword)
	r.entry("POST /password/{token}", h.entry.TakePassword)
	r.entry("GET /setup", h.entry.AlreadySetUp)
	r.app("GET /setup/{token}", h.entry.ShowSetup)
	r.app("POST /setup/{token}", h.entry.TakeSetup)
	r.entry("GET /account/two-step", h.entry.ShowFactor)
	r.entry("POST /account/two-step", h.entry.TakeFactor)
	r.member("GET /device", h.entry.ShowLogin)
	r.member("POST /device", h.entry.DecideLogin)
}

// linkRoutes registers uploads and links.
func (h *handlers) linkRoutes(r *router) {
	r.member("GET /dashboard", h.upload.Show)
	r.data("POST /dashboard/uploads", h.upload.Begin)
	r.data("POST /dashboard/uploads/complete", h.upload.Complete)
	r.data("POST /dashboard/uploads/cancel", h.upload.Cancel)
	r.data("GET /dashboard/slug", h.upload.CheckSlug)
	r.data("GET /links/{slug}/state", h.upload.State)
	r.data("POST /links/{slug}/edit", h.upload.Edit)
	r.member("GET /links", h.links.List)
	r.member("POST /links", h.links.Bulk)
	r.member("GET /trash", h.links.ShowTrash)
	r.member("POST /trash/{slug}/restore", h.links.RestoreLink)
	r.member("POST /trash/{slug}/delete", h.links.DeleteTrashed)
	r.member("GET /links/{slug}", h.links.Show(app.LinkOverview))
	r.member("GET /links/{slug}/share", h.links.Show(app.LinkShare))
	r.member("GET /links/{slug}/settings", h.links.Show(app.LinkSettings))
	r.member("GET /links/{slug}/versions", h.versions.Show)
	r.member("POST /links/{slug}/versions/restore", h.versions.Restore)
	r.member("POST /links/{slug}/versions/delete", h.versions.Delete)
	r.member("POST /links/{slug}/settings", h.links.Form("settings"))
	r.member("POST /links/{slug}/access", h.links.Form("access"))
	r.member("GET /links/{slug}/readers", h.links.ShowReaders)
	r.member("POST /links/{slug}/readers/delete", h.links.DeleteReader)
	r.member("GET /links/{slug}/recipients.csv", h.links.RecipientsCSV)
	r.member("POST /links/{slug}/recipients", h.links.AddRecipients)
	r.member("POST /links/{slug}/recipient", h.links.Form("recipient"))
	r.member("POST /links/{slug}/website", h.links.PublishWebsite)
	r.member("POST /links/{slug}/disable", h.links.Form("disable"))
	r.member("POST /links/{slug}/undo", h.links.Form("undo"))
	r.member("POST /links/{slug}/bell", h.links.Form("bell"))
	r.member("POST /links/{slug}/delete", h.links.Form("delete"))
	r.member("POST /links/{slug}/captions", h.links.AddCaptions)
	r.member("POST /links/{slug}/captions/delete", h.links.RemoveCaptions)
}

// reportRoutes registers reports. Polling by open pages does not extend the
// session.
func (h *handlers) reportRoutes(r *router) {
	r.member("GET /analytics", h.analytics.Show)
	r.member("POST /analytics/own", h.analytics.CountOwn)
	r.look("GET /analytics/pulse", h.analytics.Pulse)
	r.lookPage("GET /analytics/now", h.analytics.Show)
	r.member("GET /links/{slug}/analytics", h.analytics.Show)
	r.look("GET /links/{slug}/analytics/pulse", h.analytics.Pulse)
	r.lookPage("GET /links/{slug}/analytics/now", h.analytics.Show)
	r.look("GET /links/{slug}/analytics/pages/{page}", h.analytics.Thumb)
	r.member("GET /analytics/explain", h.analytics.ShowExplanation)
	r.member("GET /links/{slug}/analytics/explain", h.analytics.ShowExplanation)
	r.member("GET /links/{slug}/analytics/visits", h.analytics.ShowVisits)
	r.member("GET /links/{slug}/analytics/visits/{visit}", h.analytics.ShowVisit)
	r.member("POST /analytics/share", h.analytics.Share)
	r.member("POST /analytics/share/{id}/revoke", h.analytics.Unshare)
	r.member("POST /links/{slug}/analytics/share", h.analytics.Share)
	r.member("POST /links/{slug}/analytics/share/{id}/revoke", h.analytics.Unshare)
	r.member("POST /links/{slug}/analytics/notes", h.analytics.AddNote)
	r.member("POST /links/{slug}/analytics/notes/{note}", h.analytics.EditNote)
	r.member("POST /links/{slug}/analytics/notes/{note}/delete", h.analytics.DeleteNote)
	r.page("GET /r/{token}", h.analytics.ShowShared)
	r.page("GET /r/{token}/{$}", h.analytics.ShowShared) // leads to the page
	r.form("POST /r/{token}", h.analytics.EnterShared)
	r.page("GET /r/{token}/pages/{page}", h.analytics.SharedThumb)
	r.page("GET /r/{token}/explain", h.analytics.ExplainShared)
	r.member("GET /links/{slug}/analytics/map", h.analytics.ShowMap)
	r.page("GET /r/{token}/map", h.analytics.ShowSharedMap)
	r.page("GET /r/{token}/embed", h.analytics.EmbedShared)
	r.member("GET /websites/{website}/analytics", h.analytics.Show)
	r.member("GET /websites/{website}/analytics/explain", h.analytics.ShowExplanation)
	r.look("GET /websites/{website}/analytics/pulse", h.analytics.Pulse)
	r.lookPage("GET /websites/{website}/analytics/now", h.analytics.Show)
}

// collectionRoutes registers albums and websites.
func (h *handlers) collectionRoutes(r *router) {
	r.member("GET /albums", h.albums.List)
	r.member("POST /albums", h.albums.Create)
	r.data("GET /albums/new/slug", h.albums.CheckSlug)
	r.member("GET /albums/{slug}", h.albums.Show)
	r.member("POST /albums/{slug}/title", h.albums.Form("title"))
	r.member("POST /albums/{slug}/access", h.albums.Form("access"))
	r.member("GET /albums/{slug}/readers", h.albums.ShowReaders)
	r.member("POST /albums/{slug}/readers/delete", h.albums.DeleteReader)
	r.member("POST /albums/{slug}/add", h.albums.Form("add"))
	r.member("POST /albums/{slug}/remove", h.albums.Form("remove"))
	r.member("POST /albums/{slug}/move", h.albums.Form("move"))
	r.member("POST /albums/{slug}/delete", h.albums.Form("delete"))
	r.data("POST /albums/{slug}/order", h.albums.Order)

	r.member("GET /websites", h.websites.List)
	r.member("POST /websites", h.websites.Create)
	r.data("POST /websites/new", h.websites.CreateFromPage)
	r.data("GET /websites/new/slug", h.websites.CheckSlug)
	r.member("GET /websites/{slug}", h.websites.Show)
	r.member("POST /websites/{slug}/title", h.websites.Form("title"))
	r.member("POST /websites/{slug}/restore", h.websites.Form("restore"))
	r.member("POST /websites/{slug}/remove", h.websites.Form("remove"))
	r.member("POST /websites/{slug}/delete", h.websites.Form("delete"))
	r.data("POST /websites/{slug}/discard", h.websites.Discard)
	r.data("POST /websites/{slug}/uploads", h.websites.BeginDeploy)
	r.data("POST /websites/{slug}/uploads/complete", h.websites.EndDeploy)
}

// accountRoutes registers the user's account, its keys, and the accounts of the
// instance.
func (h *handlers) accountRoutes(r *router) {
	r.member("GET /account", h.account.Show)
	r.member("POST /account/password", h.account.ChangePassword)
	r.member("POST /account/email", h.account.ChangeEmail)
	r.moderator("POST /account/dismiss", h.account.Dismiss)
	r.member("POST /account/timezone", h.account.ChangeTimeZone)
	r.member("GET /account/email/{token}", h.account.ShowEmail)
	r.member("POST /account/email/{token}", h.account.ConfirmEmail)
	r.member("POST /account/sessions", h.account.EndSessions)
	r.member("POST /account/sessions/{id}", h.account.EndSession)
	r.member("GET /account/export", h.account.Export)
	r.member("POST /account/providers", h.account.ChangeProviders)
	r.member("POST /account/close", h.account.CloseAccount)
	r.member("GET /events", h.events.Show)
	r.member("GET /events/mail", h.events.ShowMail)
	r.member("POST /events/mail", h.events.ChangeMail)
	r.app("GET /mail/{token}", h.mails.ShowStop)
	r.app("POST /mail/{token}", h.mails.Stop)
	r.member("GET /keys", h.keys.Show)
	r.member("POST /keys", h.keys.Create)
	r.member("POST /keys/{id}/roll", h.keys.Rotate)
	r.member("POST /keys/{id}/revoke", h.keys.Revoke)
	r.member("GET /webhooks", h.webhooks.Show)
	r.member("POST /webhooks", h.webhooks.Create)
	r.member("GET /webhooks/{id}", h.webhooks.ShowOne)
	r.member("POST /webhooks/{id}/settings", h.webhooks.Form("settings"))
	r.member("POST /webhooks/{id}/turn", h.webhooks.Form("turn"))
	r.member("POST /webhooks/{id}/test", h.webhooks.Form("test"))
	r.member("POST /webhooks/{id}/rotate", h.webhooks.Form("rotate"))
	r.member("POST /webhooks/{id}/resend", h.webhooks.Form("resend"))
	r.member("POST /webhooks/{id}/delete", h.webhooks.Form("delete"))
	r.owner("GET /people", h.people.Show)
	r.owner("POST /people/change", h.people.Change)
	r.owner("POST /people/two-step-off", h.people.TurnOffTwoStep)
	r.owner("POST /people/invite", h.people.Invite)
	r.owner("POST /people/invitations/{id}/withdraw", h.people.Withdraw)
}

// moderationRoutes registers the pages of moderators.
func (h *handlers) moderationRoutes(r *router) {
	r.moderator("GET /moderation", h.moderation.Queue)
	r.moderator("POST /moderation/decide", h.moderation.DecideMany)
	r.moderator("POST /moderation/undo", h.moderation.UndoDecisions)
	r.moderator("GET /moderation/find", h.moderation.Find)
	r.moderator("GET /moderation/history", h.moderation.History)
	r.moderator("GET /moderation/links/{slug}", h.moderation.ShowCase)
	r.moderator("POST /moderation/links/{slug}/{action}", h.moderation.Decide)
	r.moderator("GET /moderation/accounts/{id}", h.moderation.ShowAccount)
	r.moderator("POST /moderation/accounts/{id}/{action}", h.moderation.DecideAccount)
}
