package front

import (
	"slices"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// docError documents an error code.
type docError struct {
	Code       vitrine.Code
	When, Then string
	// Beside lists where the code occurs besides operations of the API: "page"
	// for public pages and their beacons.
	Beside string
	// Ops lists the operations of the API that return the code; nil means all
	// that need a key.
	Ops []string
}

// Status returns the HTTP status of the code.
func (d docError) Status() int { return httpx.StatusOf[d.Code] }

// On reports whether an operation returns the code.
func (d docError) On(op string) bool {
	for _, o := range d.Ops {
		if o == op {
			return true
		}
	}
	return false
}

// OnlyPut reports whether only the signed PUT returns the code.
func (d docError) OnlyPut() bool { return len(d.Ops) == 1 && d.Ops[0] == "putFile" }

// Groups of operations.
var (
	begins       = []string{"createUpload"}
	completes    = []string{"completeUpload"}
	cancels      = []string{"cancelUpload"}
	puts         = []string{"putFile"}
	appends      = []string{"appendUpload"}
	chunkOps     = []string{"appendUpload", "terminateUpload"}
	uploadOps    = []string{"createUpload", "completeUpload"}
	edits        = []string{"updateLink"}
	reportOps    = []string{"getLinkAnalytics", "getAccountAnalytics", "listVisits"}
	versionOps   = []string{"listVersions", "restoreVersion", "deleteVersion"}
	recipientOps = []string{"listRecipients", "addRecipients", "updateRecipient", "revokeRecipient"}
	noteOps      = []string{"listNotes", "addNote", "deleteNote"}
	hookOps      = []string{"getWebhook", "updateWebhook", "deleteWebhook", "testWebhook", "rotateWebhook",
		"listDeliveries", "resendDelivery"}
	mailOps   = []string{"getNotifications", "changeNotifications"}
	ofOneLink = append([]string{"getLink", "updateLink", "deleteLink", "getFile", "listCaptions", "putCaptions",
		"deleteCaptions", "getLinkAnalytics", "listVisits", "getVisit", "listReaders", "deleteReader", "restoreLink"},
		slices.Concat(versionOps, recipientOps, noteOps)...)
	loginOps = []string{"startLogin", "takeLogin"}
	keyOps   = []string{"revokeKey", "listKeys", "createKey", "revokeKeyById"}
	withKey  = slices.Concat(keyOps, []string{"getKey", "createUpload", "completeUpload", "cancelUpload", "listLinks",
		"listWebsites", "listEvents", "listTrash", "getAccountAnalytics", "listWebhooks", "createWebhook"}, mailOps,
		hookOps, ofOneLink)
	// Operations that a key with the smallest scope may not ask for.
	needScope = append([]string{"createUpload", "completeUpload", "cancelUpload", "updateLink", "deleteLink",
		"putCaptions", "deleteCaptions", "restoreVersion", "deleteVersion", "addRecipients", "updateRecipient",
		"revokeRecipient", "deleteReader", "addNote", "deleteNote", "restoreLink", "changeNotifications",
		"listWebhooks", "createWebhook"},
		slices.Concat(keyOps, hookOps)...)
	anyOp = slices.Concat([]string{"status", "putFile", "startLogin", "takeLogin"}, chunkOps, withKey)
)

// docErrors lists all codes by status.
var docErrors = []docError{
	{Code: vitrine.CodeInvalidJSON, When: "The body is not one JSON object in valid UTF-8: duplicate keys, trailing data, over 16 KiB (256 KiB where it may have access or recipients), nested deeper than 8, or another content type.", Then: "Send one object as application/json.", Ops: slices.Concat(loginOps, uploadOps, cancels, edits, []string{"createKey", "changeNotifications", "addNote", "addRecipients", "updateRecipient", "createWebhook", "updateWebhook"}), Beside: "page"},
	{Code: vitrine.CodeInvalidRequest, When: "A field is missing or has the wrong type, a captions file cannot be read, a report parameter is invalid, a header of an upload in chunks is wrong, a version cannot be restored or deleted, or a webhook is off.", Then: "If field is present, it names the field to correct.", Ops: []string{"createUpload", "appendUpload", "terminateUpload", "completeUpload", "cancelUpload", "listLinks", "listTrash", "updateLink", "deleteLink", "putCaptions", "deleteCaptions", "restoreVersion", "deleteVersion", "startLogin", "takeLogin", "createKey", "getLinkAnalytics", "getAccountAnalytics", "listVisits", "listEvents", "listReaders", "listRecipients", "addNote", "addRecipients", "updateRecipient", "changeNotifications", "createWebhook", "updateWebhook", "testWebhook", "rotateWebhook", "listDeliveries", "resendDelivery"}, Beside: "page"},
	{Code: vitrine.CodeInvalidName, When: "The file name is empty or over 255 bytes, has no extension, contains a slash, a backslash, control or text-direction characters, or starts or ends with a space or dot.", Then: "Rename the file.", Ops: begins},
	{Code: vitrine.CodeUnsupportedType, When: "The extension is not supported, or one of the extensions belongs to a program or script.", Then: "See the file types. Convert the file, or pack it into a ZIP.", Ops: begins},
	{Code: vitrine.CodeTypeMismatch, When: "The MIME type does not match the extension, or the Content-Type of the PUT differs from the declared type.", Then: "Send the type of the extension or application/octet-stream, the same in each step.", Ops: []string{"createUpload", "putFile"}},
	{Code: vitrine.CodeInvalidSize, When: "The size is not a whole number of 1 or more.",
		Then: "Send the exact size in bytes.", Ops: begins},
	{Code: vitrine.CodeInvalidSlug, When: "The slug is not 3 to 50 letters, digits and single hyphens, or is reserved.", Then: "Choose another slug.", Ops: append(edits, uploadOps...)},
	{Code: vitrine.CodeSlugTaken, When: "The slug is in use, held by an upload, or belongs to a link deleted in the last 90 days.", Then: "Choose another slug.", Ops: append(edits, uploadOps...)},
	{Code: vitrine.CodeInvalidIdempotencyKey, When: "The idempotencyKey is not a UUID.",
		Then: "Create one UUID per file, or per call that adds recipients, and reuse it for retries.", Ops: append([]string{"addRecipients"}, begins...)},
	{Code: vitrine.CodeIdempotencyMismatch, When: "This idempotencyKey was already used for a different upload or other recipients, or step 3 differs from step 1.", Then: "Send the same values in steps 1 and 3, or use a new key.", Ops: append([]string{"addRecipients"}, uploadOps...)},
	{Code: vitrine.CodeUploadNotFound, When: "Your account has no upload with this path, or it has expired or was cancelled.",
		Then: "Start again with step 1.", Ops: append(cancels, completes...)},
	{Code: vitrine.CodeUploadIncomplete, When: "Step 3 was sent before the PUT finished.",
		Then: "Finish the PUT, then repeat step 3. The upload stays usable.", Ops: completes},
	{Code: vitrine.CodeSizeMismatch, When: "The number of bytes differs from the declared size.",
		Then: "The bytes were deleted. Start again with the exact size.", Ops: []string{"completeUpload", "putFile"}},
	{Code: vitrine.CodeContentMismatch, When: "The content does not match the file name.",
		Then: "The bytes were deleted. Use the extension that matches the content.", Ops: completes},
	{Code: vitrine.CodeUnsafeFile, When: "The file failed inspection; reason says why.",
		Then: "The bytes were deleted. Follow the message.", Ops: completes},
	{Code: vitrine.CodeMalware, When: "The scan found malware.",
		Then: "The bytes were deleted. Do not send the file again.", Ops: completes},
	{Code: vitrine.CodeBadCursor, When: "The cursor of the list of events is not one of this account.", Then: "Begin without a cursor, then use nextCursor from the answer.", Ops: []string{"listEvents"}},
	{Code: vitrine.CodeBadRange, When: "range is not one of 7d, 14d, 30d, 90d, all, or is repeated; from or to is not a date, to is before from or after today, or one of them is missing.", Then: "Send one range, or from and to. field names the invalid parameter.", Ops: reportOps},
	{Code: vitrine.CodeUnauthorized, When: "The API key is missing, malformed, unknown or revoked.",
		Then: "Send Authorization: Bearer with an active key from the API keys page.", Ops: withKey},
	{Code: vitrine.CodeBanned, When: "The account is suspended.", Then: "Contact the administrator.",
		Ops: slices.Concat([]string{"takeLogin", "putFile"}, chunkOps, withKey)},
	{Code: vitrine.CodeForbidden, When: "The API key’s scope is too small: read covers lists and reports, publish uploads and edits, full deletion and keys. Or the key limits how long its links are public, and the request changes a link that lives longer, or a website. Or the file was taken down, or is withheld for what the scanner found.", Then: "Nothing was changed. Use a key with the scope named in the message. Ask a moderator about a file.", Ops: needScope},
	{Code: vitrine.CodeProRequired, When: "The account has no analytics or no custom slugs.", Then: "See upgradeUrl, or ask the administrator.",
		Ops: slices.Concat([]string{"createUpload", "completeUpload", "updateLink", "getVisit"}, reportOps, noteOps)},
	{Code: vitrine.CodeLinkLimit, When: "The account has reached its limit of links, including unfinished uploads.",
		Then: "Delete a link, cancel an unfinished upload or wait until heldUntil if present, or see upgradeUrl. In step 3, the bytes were deleted.", Ops: slices.Concat(appends, uploadOps, []string{"restoreLink"})},
	{Code: vitrine.CodeFileTooLarge, When: "The file exceeds the account’s limit per file.",
		Then: "Send a smaller file, or see upgradeUrl.", Ops: append(appends, uploadOps...)},
	{Code: vitrine.CodeStorageLimit, When: "The account’s storage has no room for the file.",
		Then: "Delete a link, cancel an unfinished upload or wait until heldUntil if present, or see upgradeUrl. In step 3, the bytes were deleted.", Ops: slices.Concat(appends, uploadOps, []string{"restoreLink"})},
	{Code: vitrine.CodeRecipientLimit, When: "The link has as many recipients as the account’s plan allows.",
		Then: "Revoke addresses that are not needed, or see upgradeUrl.", Ops: []string{"addRecipients"}},
	{Code: vitrine.CodeInvalidSignature, When: "The signed URL was truncated or changed.",
		Then: "Use it exactly as returned by step 1.", Ops: puts},
	{Code: vitrine.CodeURLExpired, When: "The signed URL is older than ten minutes.",
		Then: "Repeat step 1 with the same idempotencyKey to get a new URL.", Ops: puts},
	{Code: vitrine.CodeNotFound, When: "Your account has no link or website with this slug, the link has no such version, visit, note or recipient, the account has no such key or webhook, the endpoint does not exist, the upload in chunks has ended, or the login code has expired or was used.", Then: "Check the slug. Links of other accounts also answer 404. For a login, start again.", Ops: slices.Concat([]string{"takeLogin", "revokeKeyById", "listEvents", "createWebhook"}, hookOps, uploadOps, chunkOps, ofOneLink)},
	{Code: vitrine.CodeMethodNotAllowed, When: "The endpoint does not support this method.",
		Then: "See the Allow header.", Ops: anyOp},
	{Code: vitrine.CodeURLUsed, When: "The upload already has a file with other bytes, or it has ended.", Then: "Continue with step 3. Sending the same bytes again with PUT returns 200.", Ops: append(puts, chunkOps...)},
	{Code: vitrine.CodeUploadInProgress, When: "Another transfer to the same URL is in progress.",
		Then: "Wait until it ends, then retry.", Ops: append(puts, appends...)},
	{Code: vitrine.CodeOffsetMismatch, When: "The chunk does not begin where the bytes that have arrived end.",
		Then: "Ask for the offset with HEAD, and continue there.", Ops: appends},
	{Code: vitrine.CodeTooManyBytes, When: "The chunk ends behind the declared size.",
		Then: "Nothing of it was kept. Send the rest of the file and no more.", Ops: appends},
	{Code: vitrine.CodeChecksumMismatch, When: "The chunk does not have the checksum of Upload-Checksum.",
		Then: "Nothing of it was kept. Send it again.", Ops: appends},
	{Code: vitrine.CodeUnsupportedMedia, When: "The Content-Type of a chunk is not application/offset+octet-stream.",
		Then: "Send this type.", Ops: appends},
	{Code: vitrine.CodeUnsupportedVersion, When: "The header Tus-Resumable is missing or names another version.",
		Then: "Send Tus-Resumable: 1.0.0.", Ops: chunkOps},
	{Code: vitrine.CodePreconditionFailed, When: "The link has changed since you read it (If-Match).", Then: "Nothing was changed. Read current and retry with its ETag.", Ops: []string{"updateLink", "deleteLink", "createUpload", "completeUpload", "restoreVersion", "deleteVersion"}},
	{Code: vitrine.CodeRateLimited, When: "Too many uploads, logins, changes or new keys in the last hour.", Then: "Wait for the number of seconds in Retry-After.", Ops: append([]string{"startLogin", "createKey", "updateLink", "restoreLink", "restoreVersion", "appendUpload"}, uploadOps...)},
	{Code: vitrine.CodeInternal, When: "The server failed unexpectedly.",
		Then: "Retry. If it happens again, send the X-Request-Id to the administrator.",
		Ops:  slices.DeleteFunc(slices.Clone(anyOp), func(op string) bool { return op == "status" })},
	{Code: vitrine.CodeUnavailable, When: "The database or storage is down or full. Nothing was changed, unless the message says that something may have been saved.",
		Then: "Send the same request again after Retry-After seconds.", Ops: slices.Concat(puts, chunkOps, loginOps, withKey)},
}
